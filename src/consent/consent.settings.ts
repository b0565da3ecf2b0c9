import { integer } from '../shared/setting-kinds.js';
import { declareSettings, type SettingsOf } from '../shared/declare-settings.js';

/** An office visits the sites of so many projects at its full rate before the limit of its network is met. */
const PROJECTS_OF_A_NETWORK = 10;

const ratePerMinute = integer('INGEST_RATE_PER_MINUTE', {
  default: 600,
  min: 0,
  max: 1_000_000,
  meaning: 'consents per address (IPv6: /64) and project, in each process; 0 turns the limit off',
});

export type ConsentSettings = SettingsOf<typeof consentSettings>;

/** Taking and keeping consent records. */
export const consentSettings = declareSettings({
  name: 'consent',
  title: 'Consent records',
  settings: {
    ratePerMinute,
    networkRatePerMinute: integer('INGEST_NETWORK_RATE_PER_MINUTE', {
      default: (read) => read.value(ratePerMinute) * PROJECTS_OF_A_NETWORK,
      defaultShown: 'ten times the above',
      min: 0,
      max: 10_000_000,
      meaning:
        'consents per address over all projects, in each process; unknown projects count tenfold; 0 turns the limit off',
    }),
    visitorRatePerMinute: integer('VISITOR_RATE_PER_MINUTE', {
      default: 60,
      min: 0,
      max: 1_000_000,
      meaning:
        'what visitors ask with their keys (read, receipt, withdraw, erase) per address (IPv6: /64), in each process; 0 turns the limit off',
    }),
    retentionMonths: integer('RETENTION_MONTHS', {
      default: 12,
      min: 1,
      max: 240,
      meaning: 'records are kept for at least so long, then dropped by whole months',
    }),
  },
});
