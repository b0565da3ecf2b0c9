import { resolve } from 'node:path';
import { choice, host, isAddressOrCidr, list, origin, port, setting, splitList } from './setting-kinds.js';
import { declareSettings, derived, type Refuse, type SettingsOf } from './declare-settings.js';

const DATA_DIR_DEFAULT = '.data';

const nodeEnv = choice('NODE_ENV', {
  choices: ['development', 'production', 'test'],
  default: 'development',
  meaning:
    '`production` turns off all development defaults; must be set explicitly with `DATABASE_URL` or a public `HOST`',
  advice: 'Those are the embedded database, the demo, generated secrets, and simulated tiers.',
});

/** An installation of the service for one region (docs/cells.md). */
export interface Cell {
  /** In lower case; two letters are shown as the name of that region. */
  name: string;
  /** Its `PUBLIC_BASE_URL`. */
  origin: string;
}

const CELL = /^([a-z0-9][a-z0-9-]{0,19})=(https?:\/\/[^/?#@\s]+)\/?$/;

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
    /** Empty: this installation is the only one. */
    cells: setting<Cell[]>('CELLS', {
      default: [],
      defaultShown: 'none: this installation is the only one',
      meaning:
        'all installations of a service with several, as `name=origin`, comma-separated, this one included ([docs/cells.md](cells.md))',
      parse: parseCells,
      write: (cells) => cells.map(({ name, origin: address }) => `${name}=${address}`).join(','),
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
  check: ({ production, publicBaseUrl, cells }, read, own) => {
    if (production && !publicBaseUrl.startsWith('https://')) {
      read.refuse(own.publicBaseUrl, 'must be set in production, and use https.');
    }
    if (production && cells.some((cell) => !cell.origin.startsWith('https://')))
      read.refuse(own.cells, 'must use https in production.');
    if (cells.length > 0 && !cells.some((cell) => cell.origin === publicBaseUrl))
      read.refuse(own.cells, 'must include this installation, with the origin in PUBLIC_BASE_URL.');
  },
});

function parseCells(raw: string, refuse: Refuse): Cell[] {
  const cells = splitList(raw).flatMap((entry) => {
    const [, name = '', address = ''] = CELL.exec(entry) ?? [];
    return URL.canParse(address) ? [{ name, origin: new URL(address).origin }] : [];
  });
  const names = new Set(cells.map(({ name }) => name));
  const origins = new Set(cells.map((cell) => cell.origin));
  if (cells.length < splitList(raw).length || names.size < cells.length || origins.size < cells.length)
    refuse('must be a comma-separated list of name=origin, with each name and each origin once.');
  return cells;
}
