import { declareSettings, type SettingsOf } from '../settings/declare-settings.js';
import { serviceSettings } from '../settings/service.settings.js';
import { integer, url } from '../settings/setting-kinds.js';

const PROTOCOLS = ['postgres:', 'postgresql:'];

const databaseUrl = url('DATABASE_URL', {
  protocols: PROTOCOLS,
  default: '',
  defaultShown: 'embedded PostgreSQL',
  example: 'postgres://service_runtime:password@localhost:5432/service',
  secret: true,
  meaning: 'PostgreSQL URL, with the runtime role; required in production',
});

export type DatabaseSettings = SettingsOf<typeof databaseSettings>;

/** Settings of the database and of the two roles that use it. */
export const databaseSettings = declareSettings({
  name: 'database',
  title: 'Database',
  settings: {
    /** Empty: the embedded PostgreSQL is started. */
    databaseUrl,
    /** Equal to `databaseUrl` with a single role. */
    databaseOwnerUrl: url('DATABASE_OWNER_URL', {
      protocols: PROTOCOLS,
      default: (read) => read.value(databaseUrl),
      defaultShown: 'as `DATABASE_URL`',
      secret: true,
      meaning: 'the role that owns the tables and migrates ([docs/security.md](security.md))',
      advice:
        'Only migrations need it (deploy/postgres/roles.sql). If unset, the role of DATABASE_URL migrates, or only checks ' +
        'that the schema is up to date if it cannot.',
    }),
    startWaitSeconds: integer('DATABASE_START_WAIT_SECONDS', {
      default: 300,
      min: 0,
      max: 3_600,
      meaning: 'how long a process that starts waits for a server that is unreachable or starting',
    }),
  },
  check: (values, read, own) => {
    if (values.databaseOwnerUrl && !values.databaseUrl) {
      read.refuse(own.databaseOwnerUrl, 'requires DATABASE_URL with the runtime role.');
    }
    if (read.value(serviceSettings.settings.production) && !values.databaseUrl) {
      read.refuse(
        own.databaseUrl,
        'must be set in production. The embedded database is only for development.',
      );
    }
  },
});

/** Settings of BullMQ's storage. */
export const queueSettings = declareSettings({
  name: 'queue',
  title: 'Queue',
  settings: {
    /** Empty: BullMQ runs on PostgreSQL. */
    redisUrl: url('REDIS_URL', {
      protocols: ['redis:', 'rediss:'],
      default: '',
      defaultShown: 'BullMQ on PostgreSQL',
      example: 'redis://localhost:6379',
      secret: true,
      meaning: 'Redis for BullMQ',
    }),
  },
});

export type QueueSettings = SettingsOf<typeof queueSettings>;
