import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { SOLD_TIERS } from '../licensing/domain/catalogue.js';
import type { PaidTier } from '../licensing/domain/tier.js';

/** A key that encrypts bearer tokens at rest; the first of the list encrypts, all of them decrypt. */
export interface SecretKey {
  id: string;
  key: Buffer;
}

/** How often a subscription is billed. */
export type BillingInterval = 'month' | 'year';

/** A price of the billing provider, and what it sells. */
export interface SoldPrice {
  priceId: string;
  tier: PaidTier;
  interval: BillingInterval;
}

/** Where published configurations are kept. S3 credentials come from the AWS SDK's own environment. */
export type StorageSettings =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3';
      bucket: string;
      /** Stands before every key, with its slash; empty: none. */
      prefix: string;
      /** Empty: Amazon's own. */
      endpoint: string;
      region: string;
      /** `endpoint/bucket/key` rather than `bucket.endpoint/key`. */
      pathStyle: boolean;
    };

/** The settings of one process, as checked once at boot (design §8). */
export interface Settings {
  production: boolean;
  port: number;
  host: string;
  /** Origin under which the outside reaches the API, without trailing slash; empty: derived from host and port. */
  publicBaseUrl: string;
  /** Absolute path of the folder for the embedded database, secrets and demo data. */
  dataDir: string;
  /** Empty: the embedded PostgreSQL is started. */
  databaseUrl: string;
  /** The same database as the role that owns and migrates it; equal to `databaseUrl` where there is one role. */
  databaseOwnerUrl: string;
  /** Empty: BullMQ runs on PostgreSQL. */
  redisUrl: string;
  /** The demo project, its receiver and its page; never in production. */
  demo: boolean;
  /** Whether this process works through the outbox. */
  runWorker: boolean;
  /** Port of the worker's own health and metrics server; 0: none. */
  workerPort: number;
  logLevel: string;
  /** How long a stopping process says that it is not ready before it stops listening. */
  shutdownDelayMs: number;
  secretKeys: SecretKey[];
  authSecret: string;
  trustedProxies: string[];
  storage: StorageSettings;
  /** Lower-case name of the header in which a trusted proxy tells the visitor's country; empty: none does. */
  countryHeader: string;
  ingest: {
    /** Requests per minute from one address to one project; 0 turns the limit off. */
    ratePerMinute: number;
    /** Requests per minute from one network to all projects together; 0 turns the limit off. */
    networkRatePerMinute: number;
    legacyCustomEndpoint: boolean;
  };
  retentionMonths: number;
  outbox: { pollMs: number; leaseMs: number };
  forwarding: {
    connectTimeoutMs: number;
    timeoutMs: number;
    /** Attempts under way at once in one worker. */
    slots: number;
    /** `host:port`, address or CIDR entries that may be reached although they are not public. */
    allowedPrivateTargets: string[];
    /** PEM with further certificate authorities for receivers; empty: the built-in ones alone. */
    extraCaFile: string;
    /** Name servers that receivers' names are asked of, `address` or `address:port`; none: the system's. */
    nameServers: string[];
  };
  billing: {
    /** Empty: nothing can be bought here, and webhooks are believed by their payload (design §6.4). */
    stripeSecretKey: string;
    /** Any of them may have signed a webhook; several while one is being replaced. */
    webhookSecrets: string[];
    /** Origin of Stripe's API; another one in tests alone. */
    stripeApiBase: string;
    /** The first price of a tier and interval is the one that is sold; the others are still known. */
    prices: SoldPrice[];
  };
}

/** A setting that stops the start; its message names the setting and says what it must be. */
export class SettingsError extends Error {}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Below DATA_DIR, where STORAGE_URL is not set. */
const STORAGE_FOLDER = 'cdn';
/** What S3-compatible servers without regions expect to be signed for. */
const STORAGE_REGION_DEFAULT = 'us-east-1';
const STORAGE_PARAMETERS = ['endpoint', 'region', 'pathStyle'];

/** Load balancers ask about every other second. */
const SHUTDOWN_DELAY_PRODUCTION_MS = 5_000;
/** An office visits the sites of so many projects at its full rate before the limit of its network is met. */
const PROJECTS_OF_A_NETWORK = 10;
const AUTH_SECRET_CHARACTERS_MIN = 32;
const SECRET_KEY_BYTES = 32;
const STRIPE_API_BASE_DEFAULT = 'https://api.stripe.com';
const WEBHOOK_SECRETS_MAX = 3;
const WEBHOOK_SECRET = /^(?![sp]k_)[\x21-\x7e]{16,256}$/;
const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g;
/** The labels of a host name; underscores stand in names of containers. */
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;
const SOLD_PRICE = /^([\w-]{1,255})=([a-z]+):([a-z]+)$/;
const INTERVALS: Record<string, BillingInterval> = {
  month: 'month',
  monthly: 'month',
  year: 'year',
  yearly: 'year',
};

/**
 * Reads and checks the environment.
 * @throws SettingsError with one sentence for each wrong setting.
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const read = new SettingReader(environment);
  const nodeEnv = read.choice('NODE_ENV', ['development', 'production', 'test'], 'development');
  const production = nodeEnv === 'production';
  const ratePerMinute = read.integer('INGEST_RATE_PER_MINUTE', { default: 600, min: 0, max: 1_000_000 });
  const dataDir = resolve(read.text('DATA_DIR', '.data'));
  const settings: Settings = {
    production,
    port: read.integer('PORT', { default: 3000, min: 0, max: 65_535 }),
    host: read.host('HOST', '127.0.0.1'),
    publicBaseUrl: read.origin('PUBLIC_BASE_URL'),
    dataDir,
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    databaseOwnerUrl: read.url('DATABASE_OWNER_URL', ['postgres:', 'postgresql:']),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    runWorker: false,
    demo: false,
    workerPort: read.integer('WORKER_PORT', { default: 0, min: 0, max: 65_535 }),
    shutdownDelayMs: read.integer('SHUTDOWN_DELAY_MS', {
      default: production ? SHUTDOWN_DELAY_PRODUCTION_MS : 0,
      min: 0,
      max: 60_000,
    }),
    // On a terminal, what is wrong is enough; in production the log is read later, and by others.
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, production ? 'info' : 'warn'),
    secretKeys: read.secretKeys('SECRET_KEYS'),
    authSecret: read.secret('AUTH_SECRET'),
    trustedProxies: read.list('TRUSTED_PROXIES'),
    storage: read.storage('STORAGE_URL', { kind: 'folder', path: join(dataDir, STORAGE_FOLDER) }),
    countryHeader: read.headerName('COUNTRY_HEADER'),
    ingest: {
      ratePerMinute,
      networkRatePerMinute: read.integer('INGEST_NETWORK_RATE_PER_MINUTE', {
        default: ratePerMinute * PROJECTS_OF_A_NETWORK,
        min: 0,
        max: 10_000_000,
      }),
      legacyCustomEndpoint: read.choice('LEGACY_CUSTOM_ENDPOINT', ['on', 'off'], 'on') === 'on',
    },
    retentionMonths: read.integer('RETENTION_MONTHS', { default: 12, min: 1, max: 240 }),
    outbox: {
      pollMs: read.integer('OUTBOX_POLL_MS', { default: 1000, min: 50, max: 60_000 }),
      leaseMs: read.integer('OUTBOX_LEASE_MS', { default: 60_000, min: 1000, max: 3_600_000 }),
    },
    forwarding: {
      connectTimeoutMs: read.integer('FORWARDING_CONNECT_TIMEOUT_MS', {
        default: 5000,
        min: 100,
        max: 60_000,
      }),
      timeoutMs: read.integer('FORWARDING_TIMEOUT_MS', { default: 15_000, min: 100, max: 120_000 }),
      slots: read.integer('FORWARDING_SLOTS', { default: 256, min: 4, max: 10_000 }),
      allowedPrivateTargets: read.list('FORWARDING_ALLOWED_PRIVATE_TARGETS'),
      extraCaFile: read.text('FORWARDING_EXTRA_CA_FILE', ''),
      nameServers: read.list('FORWARDING_NAME_SERVERS'),
    },
    billing: {
      stripeSecretKey: read.text('STRIPE_SECRET_KEY', ''),
      webhookSecrets: read.list('STRIPE_WEBHOOK_SECRETS'),
      stripeApiBase: read.origin('STRIPE_API_BASE') || STRIPE_API_BASE_DEFAULT,
      prices: read.soldPrices('STRIPE_PRICES'),
    },
  };
  // A process that brings its own database is the whole service; one that was given a database need not be.
  settings.runWorker = read.boolean('RUN_WORKER', settings.databaseUrl === '');
  settings.databaseOwnerUrl ||= settings.databaseUrl;
  settings.demo = read.boolean('DEMO', settings.databaseUrl === '' && nodeEnv === 'development');
  checkTogether(settings, read);
  read.finish();
  return settings;
}

function checkTogether(settings: Settings, read: SettingReader): void {
  if (settings.databaseOwnerUrl && !settings.databaseUrl) {
    read.refuse('DATABASE_OWNER_URL', 'goes with DATABASE_URL, which names the role that serves.');
  }
  for (const proxy of settings.trustedProxies) {
    if (!isAddressOrCidr(proxy)) {
      read.refuse('TRUSTED_PROXIES', `must list addresses or CIDR ranges; "${proxy}" is neither.`);
    }
  }
  for (const target of settings.forwarding.allowedPrivateTargets) {
    if (!isAddressOrCidr(target) && !isHostAndPort(target)) {
      read.refuse(
        'FORWARDING_ALLOWED_PRIVATE_TARGETS',
        `must list host:port, addresses or CIDR ranges; "${target}" is none of them.`,
      );
    }
  }
  for (const server of settings.forwarding.nameServers) {
    if (!isAddressAndPort(server)) {
      read.refuse(
        'FORWARDING_NAME_SERVERS',
        `must list addresses, each with or without a port; "${server}" is none.`,
      );
    }
  }
  const { extraCaFile } = settings.forwarding;
  const caProblem = extraCaFile && problemOfCertificates(extraCaFile);
  if (caProblem) read.refuse('FORWARDING_EXTRA_CA_FILE', caProblem);
  if (settings.countryHeader && settings.trustedProxies.length === 0) {
    read.refuse(
      'COUNTRY_HEADER',
      'is believed from a proxy in TRUSTED_PROXIES alone, which is empty: any visitor could set it.',
    );
  }
  if (settings.outbox.leaseMs <= settings.forwarding.timeoutMs) {
    read.refuse(
      'OUTBOX_LEASE_MS',
      'must be longer than FORWARDING_TIMEOUT_MS, or a message under way is sent twice.',
    );
  }
  checkBilling(settings, read);
  if (!read.given('NODE_ENV')) refuseDevelopmentByOmission(settings, read);
  if (!settings.production) return;
  if (settings.demo) read.refuse('DEMO', 'must not be on in production.');
  if (!settings.databaseUrl) {
    read.refuse(
      'DATABASE_URL',
      'must be set in production; the embedded database is for one machine in development.',
    );
  }
  if (!settings.publicBaseUrl.startsWith('https://')) {
    read.refuse('PUBLIC_BASE_URL', 'must be set in production, and be https.');
  }
  if (settings.secretKeys.length === 0) {
    read.refuse('SECRET_KEYS', 'must be set in production, as id:base64 of 32 random bytes.');
  }
  if (!settings.authSecret) {
    read.refuse(
      'AUTH_SECRET',
      `must be set in production, to at least ${AUTH_SECRET_CHARACTERS_MIN} random characters.`,
    );
  }
}

/**
 * Development opens sign-up to anybody and simulates tiers for nothing. Whoever brings a database or lets others
 * connect has to say that this is meant, so that a forgotten NODE_ENV is not a production in development's clothes.
 */
function refuseDevelopmentByOmission({ databaseUrl, host }: Settings, read: SettingReader): void {
  const exposing = [databaseUrl && 'DATABASE_URL', !isLoopback(host) && 'a HOST that others reach'].filter(
    Boolean,
  );
  if (exposing.length === 0) return;
  read.refuse(
    'NODE_ENV',
    `must be set beside ${exposing.join(' and ')}: to production, or to development where nobody else comes near.`,
  );
}

/** Whether only this machine reaches what listens on `host`. A name other than localhost may lead anywhere. */
function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback';
}

function checkBilling({ production, billing }: Settings, read: SettingReader): void {
  const { stripeSecretKey, webhookSecrets, stripeApiBase } = billing;
  // The values are secrets, so none is repeated.
  if (stripeSecretKey && !/^(sk|rk)_\w+$/.test(stripeSecretKey)) {
    read.refuse('STRIPE_SECRET_KEY', 'must be a secret or restricted key of Stripe (sk_… or rk_…).');
  }
  if (
    webhookSecrets.length > WEBHOOK_SECRETS_MAX ||
    !webhookSecrets.every((secret) => WEBHOOK_SECRET.test(secret))
  ) {
    read.refuse(
      'STRIPE_WEBHOOK_SECRETS',
      `must be a comma-separated list of at most ${WEBHOOK_SECRETS_MAX} signing secrets (whsec_…).`,
    );
  }
  if (!production) return;
  // A service that sells nothing needs no Stripe: its webhook then refuses everything.
  if (stripeSecretKey && webhookSecrets.length === 0) {
    read.refuse(
      'STRIPE_WEBHOOK_SECRETS',
      'must be set beside STRIPE_SECRET_KEY, to the signing secret of the webhook.',
    );
  }
  if (!stripeApiBase.startsWith('https://')) read.refuse('STRIPE_API_BASE', 'must be https in production.');
}

function isHostAndPort(value: string): boolean {
  return /^[^@/?#\s]+:\d{1,5}$/.test(value) && URL.canParse(`https://${value}`);
}

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function isAddressAndPort(value: string): boolean {
  const [, bracketed, bare = '', port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  const known = bracketed === undefined ? isIP(bare) === 4 : isIP(bracketed) === 6;
  return isIP(value) !== 0 || (known && Number(port) >= 1 && Number(port) <= 65_535);
}

function isAddressOrCidr(value: string): boolean {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** What is wrong with a file of certificate authorities, as the end of a sentence; null where nothing is. */
function problemOfCertificates(file: string): string | null {
  if (!existsSync(file)) return 'names a file that does not exist.';
  try {
    const blocks = readFileSync(file, 'utf8').match(CERTIFICATE_BLOCK) ?? [];
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0 ? null : 'names a file without a certificate in PEM.';
  } catch {
    return 'names a file that cannot be read as certificates in PEM.';
  }
}

/** What is wrong with an `s3:` URL, as the end of a sentence; null where nothing is. */
function problemOfS3Url(url: URL | null): string | null {
  if (url?.protocol !== 's3:') return 'must be a file: or s3: URL.';
  if (url.username || url.password) {
    return 'must not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.';
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
    return 'must name a bucket: s3://bucket/prefix.';
  const unknown = [...url.searchParams.keys()].filter((key) => !STORAGE_PARAMETERS.includes(key));
  if (unknown.length > 0) return `takes the parameters ${STORAGE_PARAMETERS.join(', ')} and no others.`;
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:\/\/[^/?#]+\/?$/.test(endpoint)) {
    return 'has an endpoint that is no http or https origin.';
  }
  const pathStyle = url.searchParams.get('pathStyle');
  if (pathStyle !== null && pathStyle !== 'true' && pathStyle !== 'false') {
    return 'has a pathStyle that is neither true nor false.';
  }
  return null;
}

/** Reads single settings and gathers what is wrong, so that one start tells everything. */
class SettingReader {
  private readonly problems: string[] = [];

  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /** The value of `NAME`, or the content of the file that `NAME_FILE` names; empty where neither is set. */
  private raw(name: string): string {
    const value = this.environment[name];
    const file = this.environment[`${name}_FILE`];
    if (value !== undefined && value !== '') return value.trim();
    if (file === undefined || file === '') return '';
    try {
      return readFileSync(file, 'utf8').trim();
    } catch {
      this.refuse(`${name}_FILE`, 'names a file that cannot be read.');
      return '';
    }
  }

  refuse(name: string, sentence: string): void {
    this.problems.push(`${name} ${sentence}`);
  }

  finish(): void {
    if (this.problems.length > 0) throw new SettingsError(this.problems.join('\n'));
  }

  /** Whether the environment says anything for `name`, its default included. */
  given(name: string): boolean {
    return this.raw(name) !== '';
  }

  text(name: string, fallback: string): string {
    return this.raw(name) || fallback;
  }

  list(name: string): string[] {
    return this.raw(name)
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.raw(name) || fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) this.refuse(name, `must be one of ${choices.join(', ')}.`);
    return choice ?? fallback;
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.choice(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
  }

  integer(name: string, bounds: { default: number; min: number; max: number }): number {
    const raw = this.raw(name);
    if (raw === '') return bounds.default;
    const value = Number(raw);
    if (!/^\d+$/.test(raw) || value < bounds.min || value > bounds.max) {
      this.refuse(name, `must be a whole number from ${bounds.min} to ${bounds.max}.`);
      return bounds.default;
    }
    return value;
  }

  url(name: string, protocols: string[]): string {
    const raw = this.raw(name);
    if (raw === '') return '';
    if (!URL.canParse(raw) || !protocols.includes(new URL(raw).protocol)) {
      // The value may hold a password, so it is not repeated.
      this.refuse(
        name,
        `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`,
      );
    }
    return raw;
  }

  origin(name: string): string {
    const raw = this.url(name, ['http:', 'https:']);
    if (raw === '' || !URL.canParse(raw)) return '';
    const url = new URL(raw);
    // What comes behind would be dropped without a word, and every link would lead elsewhere.
    if (url.pathname !== '/' || url.search || url.hash || url.username || url.password) {
      this.refuse(name, 'must be an origin, e.g. https://consent.example.com, with nothing behind the host.');
    }
    return url.origin;
  }

  host(name: string, fallback: string): string {
    const raw = this.raw(name) || fallback;
    // Four numbers that are no address would be looked for as a name.
    if (isIP(raw) === 0 && (!HOST_NAME.test(raw) || /^[\d.]+$/.test(raw))) {
      this.refuse(name, 'must be an address or the name of a host, without scheme and port.');
    }
    return raw;
  }

  secret(name: string): string {
    const raw = this.raw(name);
    if (raw !== '' && raw.length < AUTH_SECRET_CHARACTERS_MIN) {
      this.refuse(name, `must have at least ${AUTH_SECRET_CHARACTERS_MIN} characters.`);
    }
    return raw;
  }

  soldPrices(name: string): SoldPrice[] {
    const prices = this.list(name).map((entry) => {
      const [, priceId = '', tierKey, intervalKey = ''] = SOLD_PRICE.exec(entry) ?? [];
      const tier = SOLD_TIERS.find((sold) => sold === tierKey);
      const interval = INTERVALS[intervalKey];
      return tier && interval ? { priceId, tier, interval } : null;
    });
    const read = prices.filter((price) => price !== null);
    if (read.length < prices.length || new Set(read.map(({ priceId }) => priceId)).size < read.length) {
      this.refuse(
        name,
        `must be a comma-separated list of price_id=tier:interval, tier ${SOLD_TIERS.join(' or ')}, interval month or year, no price twice.`,
      );
    }
    return read;
  }

  /** `file:///folder`, or `s3://bucket/prefix?endpoint=…&region=…&pathStyle=…`. */
  storage(name: string, fallback: StorageSettings): StorageSettings {
    const raw = this.raw(name);
    if (raw === '') return fallback;
    const url = URL.canParse(raw) ? new URL(raw) : null;
    if (url?.protocol === 'file:' && url.hostname === '') return { kind: 'folder', path: fileURLToPath(url) };
    const problem = problemOfS3Url(url);
    if (problem || !url) {
      // The URL itself is not repeated: somebody may have put a password into it.
      this.refuse(name, problem ?? 'must be a file: or s3: URL.');
      return fallback;
    }
    const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
    const endpoint = url.searchParams.get('endpoint') ?? '';
    return {
      kind: 's3',
      bucket: url.hostname,
      prefix: prefix === '' ? '' : `${prefix}/`,
      endpoint,
      region: url.searchParams.get('region') ?? STORAGE_REGION_DEFAULT,
      // Servers other than Amazon's seldom have a name for each bucket.
      pathStyle: (url.searchParams.get('pathStyle') ?? String(endpoint !== '')) === 'true',
    };
  }

  headerName(name: string): string {
    const value = this.raw(name).toLowerCase();
    if (value !== '' && !/^[a-z0-9-]{1,64}$/.test(value)) {
      this.refuse(name, 'must be the name of a header, e.g. cf-ipcountry.');
    }
    return value;
  }

  secretKeys(name: string): SecretKey[] {
    const keys = this.list(name).map((entry) => {
      const [id = '', encoded = ''] = entry.split(':');
      return { id, key: Buffer.from(encoded, 'base64') };
    });
    const wellFormed = keys.every(
      ({ id, key }) => /^[\w-]{1,32}$/.test(id) && key.length === SECRET_KEY_BYTES,
    );
    if (!wellFormed || new Set(keys.map(({ id }) => id)).size !== keys.length) {
      this.refuse(name, 'must be a comma-separated list of id:base64, 32 bytes each, no id twice.');
    }
    return keys;
  }
}
