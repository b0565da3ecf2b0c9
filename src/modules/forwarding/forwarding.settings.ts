import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { flag, integer } from '../../platform/settings/setting-kinds.js';

/** Settings of forwarding. */
export const forwardingSettings = declareSettings({
  name: 'forwarding',
  title: 'Forwarding',
  settings: {
    holdHours: integer('FORWARDING_HOLD_HOURS', {
      default: 72,
      min: 0,
      max: 720,
      meaning:
        'maximum time that a record is held for an unavailable receiver before it is attempted anyway; 0 turns holds off',
    }),
    legacyCustomEndpoint: flag('LEGACY_CUSTOM_ENDPOINT', {
      words: ['on', 'off'],
      default: true,
      meaning: '`off` ignores the legacy field `custom_endpoint` for the entire service',
    }),
  },
});

export type ForwardingSettings = SettingsOf<typeof forwardingSettings>;
