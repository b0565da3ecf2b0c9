import { resolve } from 'node:path';
import { choice, host, isAddressOrCidr, list, origin, port, setting } from './setting-kinds.js';
import { declareSettings, derived, type SettingsOf } from './declare-settings.js';

const DATA_DIR_DEFAULT = '.data';

const nodeEnv = choice('NODE_ENV', {
  choices: ['development', 'production', 'test'],
  default: 'development',
  meaning:
    '`production` turns off all development defaults; must be set explicitly with `DATABASE_URL` or a public `HOST`',
  advice: 'Those are the embedded database, the demo, generated secrets, and simulated tiers.',
});

export type ServiceSettings = SettingsOf<typeof serviceSettings>;

/** Settings of the service as a whole, for all modules. */
export const serviceSettings = declareSettings({
  name: 'service',
  title: 'The service',
  settings: {
    nodeEnv,
    production: derived((read) => read.value(nodeEnv) === 'production'),
    port: port('PORT', { default: 3000, meaning: 'port of the API' }),
    host: host('HOST', {
      default: '127.0.0.1',
      meaning: 'address or hostname on which the API listens',
    }),
    /** Empty: derived from host and port. */
    publicBaseUrl: origin('PUBLIC_BASE_URL', {
      default: '',
      defaultShown: 'from host and port',
      example: 'https://consent.example.com',
      meaning: 'public origin of the API; https in production',
    }),
    /** Absolute path. */
    dataDir: setting('DATA_DIR', {
      default: () => resolve(DATA_DIR_DEFAULT),
      defaultShown: `\`${DATA_DIR_DEFAULT}\``,
      example: DATA_DIR_DEFAULT,
      meaning: 'folder of the embedded database, generated secrets, and demo data',
      parse: (raw) => resolve(raw),
    }),
    trustedProxies: list('TRUSTED_PROXIES', {
      default: [],
      defaultShown: 'none',
      meaning: 'addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted',
      advice:
        'Comma-separated. Behind a proxy that is not listed, all visitors share one rate limit; a log line reports it ' +
        "once, with the proxy's address. In compose that is the gateway of its network: docker network inspect " +
        '<project>_default.',
      check: (proxies, refuse) => {
        for (const proxy of proxies) {
          if (!isAddressOrCidr(proxy)) refuse(`must list addresses or CIDR ranges; "${proxy}" is neither.`);
        }
      },
    }),
  },
  check: ({ production, publicBaseUrl }, read, own) => {
    if (production && !publicBaseUrl.startsWith('https://')) {
      read.refuse(own.publicBaseUrl, 'must be set in production, and use https.');
    }
  },
});
