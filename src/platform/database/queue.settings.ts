import { url } from '../settings/setting-kinds.js';
import { declareSettings, type SettingsOf } from '../settings/declare-settings.js';

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
