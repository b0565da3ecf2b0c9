import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { flag, integer } from '../../platform/settings/setting-kinds.js';

export type VisitSettings = SettingsOf<typeof visitSettings>;

/** Settings of counting page visits (ADR 39). */
export const visitSettings = declareSettings({
  name: 'visits',
  title: 'Site analytics',
  settings: {
    enabled: flag('SITE_ANALYTICS', {
      default: true,
      meaning:
        'whether page visits are counted for projects that turn it on, without anything that distinguishes visitors; `false`: never',
    }),
    ratePerMinute: integer('VISIT_RATE_PER_MINUTE', {
      default: 600,
      min: 0,
      max: 1_000_000,
      meaning: 'page visits counted per address (IPv6: /64) and project, per process; 0 turns the limit off',
    }),
  },
});
