import { serviceSettings } from '../../platform/settings/service.settings.js';
import { choice, secret } from '../../platform/settings/setting-kinds.js';
import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';

const AUTH_SECRET_CHARACTERS_MIN = 32;

export const accessSettings = declareSettings({
  name: 'access',
  title: 'Sign-in',
  settings: {
    authSecret: secret('AUTH_SECRET', {
      charactersMin: AUTH_SECRET_CHARACTERS_MIN,
      default: '',
      defaultShown: 'generated and kept in `DATA_DIR`',
      meaning: `secret that signs sessions; at least ${AUTH_SECRET_CHARACTERS_MIN} characters; required in production`,
      advice: 'Generate one with: openssl rand -base64 48.',
    }),
    signUp: choice('SIGN_UP', {
      choices: ['open', 'invited', 'closed'],
      default: (read) => (read.value(serviceSettings.settings.production) ? 'invited' : 'open'),
      defaultShown: '`open`; production: `invited`',
      meaning:
        'who may create an account: anyone (`open`), people invited to a project (`invited`), no one (`closed`)',
      advice: 'Create the first account with: npm run ops -- account create <address>.',
    }),
  },
  check: ({ authSecret }, read, own) => {
    if (read.value(serviceSettings.settings.production) && !authSecret) {
      read.refuse(
        own.authSecret,
        `must be set in production, to at least ${AUTH_SECRET_CHARACTERS_MIN} random characters.`,
      );
    }
  },
});

export type AccessSettings = SettingsOf<typeof accessSettings>;
