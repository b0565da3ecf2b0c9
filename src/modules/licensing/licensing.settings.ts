import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { text } from '../../platform/settings/setting-kinds.js';

export type LicensingSettings = SettingsOf<typeof licensingSettings>;

const CONTACT_PROTOCOLS = ['https:', 'mailto:'];

/** Settings of the pricing page. */
export const licensingSettings = declareSettings({
  name: 'licensing',
  title: 'Plans',
  settings: {
    /** Empty: plans without a price are not offered. */
    contactUrl: text('CONTACT_URL', {
      default: '',
      defaultShown: 'none',
      example: 'mailto:sales@example.com',
      meaning: 'contact for plans without a price, an https URL or mailto link; none: they are not offered',
      check: (value, refuse) => {
        if (!URL.canParse(value) || !CONTACT_PROTOCOLS.includes(new URL(value).protocol))
          refuse('must be a URL that starts with https:// or mailto:.');
      },
    }),
  },
});
