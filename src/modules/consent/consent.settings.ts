import { integer } from '../../platform/settings/setting-kinds.js';
import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';

/** Projects that one office may visit at the full rate before the limit of its network applies. */
const PROJECTS_OF_A_NETWORK = 10;
/** Visitors at the full rate before the shared limit of an unverified proxy applies. */
export const VISITORS_OF_A_PROXY = 10;

const ratePerMinute = integer('INGEST_RATE_PER_MINUTE', {
  default: 600,
  min: 0,
  max: 1_000_000,
  meaning: 'consent requests per address (IPv6: /64) and project, per process; 0 turns the limit off',
});

export type ConsentSettings = SettingsOf<typeof consentSettings>;

/** Settings of storing and keeping consent records. */
export const consentSettings = declareSettings({
  name: 'consent',
  title: 'Consent records',
  settings: {
    ratePerMinute,
    networkRatePerMinute: integer('INGEST_NETWORK_RATE_PER_MINUTE', {
      default: (read) => read.value(ratePerMinute) * PROJECTS_OF_A_NETWORK,
      defaultShown: 'ten times `INGEST_RATE_PER_MINUTE`',
      min: 0,
      max: 10_000_000,
      meaning:
        'consent requests per address (IPv6: /64, tenfold per /48) across all projects, per process; unknown projects count tenfold; 0 turns the limit off',
    }),
    proxyRatePerMinute: integer('INGEST_PROXY_RATE_PER_MINUTE', {
      default: (read) => read.value(ratePerMinute) * VISITORS_OF_A_PROXY,
      defaultShown: 'ten times `INGEST_RATE_PER_MINUTE`',
      min: 0,
      max: 10_000_000,
      meaning:
        "consent requests per project through a customer's proxy that sends no valid secret, per process; 0 turns the limit off",
    }),
    visitorRatePerMinute: integer('VISITOR_RATE_PER_MINUTE', {
      default: 60,
      min: 0,
      max: 1_000_000,
      meaning:
        'visitor requests (read, receipt, withdraw, erase) per address (IPv6: /64), per process; 0 turns the limit off',
    }),
    retentionMonths: integer('RETENTION_MONTHS', {
      default: 12,
      min: 1,
      max: 240,
      meaning: 'minimum retention of records; they are then dropped by whole months',
    }),
  },
});
