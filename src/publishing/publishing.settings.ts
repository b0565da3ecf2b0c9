import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceSettings } from '../shared/service.settings.js';
import { setting } from '../shared/setting-kinds.js';
import { declareSettings, type Refuse, type SettingsOf } from '../shared/declare-settings.js';

/** Where published configurations are kept. S3 credentials come from the AWS SDK's own environment. */
export type StorageSettings =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3';
      bucket: string;
      /** Stands before every key, with its slash; empty: none. */
      prefix: string;
      /** Empty: Amazon's own. */
      endpoint: string;
      region: string;
      /** `endpoint/bucket/key` rather than `bucket.endpoint/key`. */
      pathStyle: boolean;
    };

/** Below DATA_DIR, where STORAGE_URL is not set. */
const STORAGE_FOLDER = 'cdn';
/** What S3-compatible servers without regions expect to be signed for. */
const STORAGE_REGION_DEFAULT = 'us-east-1';
const STORAGE_PARAMETERS = ['endpoint', 'region', 'pathStyle'];

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
      defaultShown: 'a folder below `DATA_DIR`',
      meaning:
        'where published configurations are kept: `file:///folder` or `s3://bucket/prefix?endpoint=…&region=…`',
      advice: 'Credentials of S3 come from the AWS variables of the environment.',
      parse: storageOf,
    }),
    /** In lower case; empty: no proxy tells it. */
    countryHeader: setting('COUNTRY_HEADER', {
      default: '',
      defaultShown: 'none',
      meaning:
        "header in which a proxy of `TRUSTED_PROXIES` tells the visitor's country, e.g. `cf-ipcountry`",
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
        'header in which it tells the part of the country, for rules such as `US-CA`, e.g. `cf-region-code`',
      parse: (raw) => raw.toLowerCase(),
      check: (value, refuse) => {
        if (!/^[a-z0-9-]{1,64}$/.test(value)) refuse('must be the name of a header, e.g. cf-region-code.');
      },
    }),
  },
  check: ({ countryHeader }, read, own) => {
    if (countryHeader && read.value(serviceSettings.settings.trustedProxies).length === 0) {
      read.refuse(
        own.countryHeader,
        'is believed from a proxy in TRUSTED_PROXIES alone, which is empty: any visitor could set it.',
      );
    }
  },
});

export type PublishingSettings = SettingsOf<typeof publishingSettings>;

/** `file:///folder`, or `s3://bucket/prefix?endpoint=…&region=…&pathStyle=…`. */
function storageOf(raw: string, refuse: Refuse): StorageSettings | undefined {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (url?.protocol === 'file:' && url.hostname === '') return { kind: 'folder', path: fileURLToPath(url) };
  const problem = problemOfS3Url(url);
  if (problem || !url) {
    // The URL itself is not repeated: somebody may have put a password into it.
    refuse(problem ?? 'must be a file: or s3: URL.');
    return undefined;
  }
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  const endpoint = url.searchParams.get('endpoint') ?? '';
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? STORAGE_REGION_DEFAULT,
    // Servers other than Amazon's seldom have a name for each bucket.
    pathStyle: (url.searchParams.get('pathStyle') ?? String(endpoint !== '')) === 'true',
  };
}

/** What is wrong with an `s3:` URL, as the end of a sentence; null where nothing is. */
function problemOfS3Url(url: URL | null): string | null {
  if (url?.protocol !== 's3:') return 'must be a file: or s3: URL.';
  if (url.username || url.password) {
    return 'must not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.';
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
    return 'must name a bucket: s3://bucket/prefix.';
  const unknown = [...url.searchParams.keys()].filter((key) => !STORAGE_PARAMETERS.includes(key));
  if (unknown.length > 0) return `takes the parameters ${STORAGE_PARAMETERS.join(', ')} and no others.`;
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:\/\/[^/?#]+\/?$/.test(endpoint)) {
    return 'has an endpoint that is no http or https origin.';
  }
  const pathStyle = url.searchParams.get('pathStyle');
  if (pathStyle !== null && pathStyle !== 'true' && pathStyle !== 'false') {
    return 'has a pathStyle that is neither true nor false.';
  }
  return null;
}
