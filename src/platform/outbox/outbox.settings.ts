import { integer } from '../settings/setting-kinds.js';
import { declareSettings, type SettingsOf } from '../settings/declare-settings.js';

/** Settings of how a worker claims messages from the outbox. */
export const outboxSettings = declareSettings({
  name: 'outbox',
  title: 'Outbox and workers',
  settings: {
    pollMs: integer('OUTBOX_POLL_MS', {
      default: 1000,
      min: 50,
      max: 60_000,
      meaning: 'interval at which workers poll the outbox',
    }),
    gatherMs: integer('OUTBOX_GATHER_MS', {
      default: 8,
      min: 0,
      max: 1000,
      meaning:
        'interval between claims of a worker under load; a shorter one delivers sooner and takes more processor time',
    }),
    leaseMs: integer('OUTBOX_LEASE_MS', {
      default: 60_000,
      min: 1000,
      max: 3_600_000,
      meaning: 'lease of a claim; must be longer than an attempt',
    }),
    /** The name predates the second topic; deployments use it. */
    slots: integer('FORWARDING_SLOTS', {
      default: 256,
      min: 4,
      max: 10_000,
      meaning: 'concurrent attempts per worker; one project can use at most a quarter',
    }),
  },
});

export type OutboxSettings = SettingsOf<typeof outboxSettings>;
