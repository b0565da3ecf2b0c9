import { join } from 'node:path';
import { serviceSettings } from '../../platform/settings/service.settings.js';
import { setting } from '../../platform/settings/setting-kinds.js';
import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { type StorageSettings, parseStorageUrl } from '../../platform/storage/storage-url.js';

/** Below DATA_DIR, where STORAGE_URL is not set. */
const STORAGE_FOLDER = 'cdn';
/** Publishing the configurations of sites. */
export const publishingSettings = declareSettings({
  name: 'publishing',
  title: 'Publishing (docs/publishing.md)',
  settings: {
    storage: setting<StorageSettings>('STORAGE_URL', {
      default: (read) => ({
        kind: 'folder',
        path: join(read.value(serviceSettings.settings.dataDir), STORAGE_FOLDER),
      }),
      defaultShown: 'a folder in `DATA_DIR`',
      meaning:
        'where published configurations are kept: `file:///folder` or `s3://bucket/prefix?endpoint=…&region=…`',
      advice: 'S3 credentials are read from the AWS environment variables.',
      parse: parseStorageUrl,
    }),
    /** In lower case; empty: no proxy sends it. */
    countryHeader: setting('COUNTRY_HEADER', {
      default: '',
      defaultShown: 'none',
      meaning:
        "header in which a proxy of `TRUSTED_PROXIES` sends the visitor's country, e.g. `cf-ipcountry`",
      parse: (raw) => raw.toLowerCase(),
      check: (value, refuse) => {
        if (!/^[a-z0-9-]{1,64}$/.test(value)) refuse('must be the name of a header, e.g. cf-ipcountry.');
      },
    }),
    /** As above, beside it. */
    subdivisionHeader: setting('SUBDIVISION_HEADER', {
      default: '',
      defaultShown: 'none',
      meaning:
        'header in which it sends the country subdivision, for rules such as `US-CA`, e.g. `cf-region-code`',
      parse: (raw) => raw.toLowerCase(),
      check: (value, refuse) => {
        if (!/^[a-z0-9-]{1,64}$/.test(value)) refuse('must be the name of a header, e.g. cf-region-code.');
      },
    }),
  },
  check: ({ countryHeader }, read, own) => {
    if (countryHeader && read.value(serviceSettings.settings.trustedProxies).length === 0)
      read.refuse(
        own.countryHeader,
        'is only trusted from a proxy in TRUSTED_PROXIES, which is empty: any visitor could set it.',
      );
  },
});

export type PublishingSettings = SettingsOf<typeof publishingSettings>;
