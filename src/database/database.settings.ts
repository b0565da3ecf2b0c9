import { serviceSettings } from '../shared/service.settings.js';
import { url } from '../shared/setting-kinds.js';
import { declareSettings, type SettingsOf } from '../shared/declare-settings.js';

const PROTOCOLS = ['postgres:', 'postgresql:'];

const databaseUrl = url('DATABASE_URL', {
  protocols: PROTOCOLS,
  default: '',
  defaultShown: 'embedded PostgreSQL',
  example: 'postgres://service_runtime:password@localhost:5432/service',
  secret: true,
  meaning: 'PostgreSQL, as the role that serves; needed in production',
});

export type DatabaseSettings = SettingsOf<typeof databaseSettings>;

/** The one database, and the two roles that use it. */
export const databaseSettings = declareSettings({
  name: 'database',
  title: 'Database',
  settings: {
    /** Empty: the embedded PostgreSQL is started. */
    databaseUrl,
    /** Equal to `databaseUrl` where there is one role. */
    databaseOwnerUrl: url('DATABASE_OWNER_URL', {
      protocols: PROTOCOLS,
      default: (read) => read.value(databaseUrl),
      defaultShown: 'as `DATABASE_URL`',
      secret: true,
      meaning: 'the role that owns the tables and migrates ([docs/security.md](security.md))',
      advice:
        "Only what migrates needs it (deploy/postgres/roles.sql). Unset: DATABASE_URL's role does both, or only looks " +
        'whether the schema is up to date if it may not.',
    }),
  },
  check: (values, read, own) => {
    if (values.databaseOwnerUrl && !values.databaseUrl) {
      read.refuse(own.databaseOwnerUrl, 'goes with DATABASE_URL, which names the role that serves.');
    }
    if (read.value(serviceSettings.settings.production) && !values.databaseUrl) {
      read.refuse(
        own.databaseUrl,
        'must be set in production; the embedded database is for one machine in development.',
      );
    }
  },
});
