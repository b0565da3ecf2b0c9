import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { text } from '../../platform/settings/setting-kinds.js';

export type LicensingSettings = SettingsOf<typeof licensingSettings>;

const CONTACT_PROTOCOLS = ['https:', 'mailto:'];

/** Settings of the pricing page. */
export const licensingSettings = declareSettings({
  name: 'licensing',
  title: 'Plans',
  settings: {
    /** Empty: the pricing page has no contact link. */
    contactUrl: text('CONTACT_URL', {
      default: '',
      defaultShown: 'none',
      example: 'mailto:sales@example.com',
      meaning:
        'contact for plans without a fixed price, shown on the pricing page: an https URL or a mailto link',
      check: (value, refuse) => {
        if (!URL.canParse(value) || !CONTACT_PROTOCOLS.includes(new URL(value).protocol))
          refuse('must be a URL that starts with https:// or mailto:.');
      },
    }),
  },
});
