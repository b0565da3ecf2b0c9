import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findChromium } from '../../src/scanner/browser/chromium.js';
import { NAMESPACES, readSettings } from '../../src/programs/settings.js';
import { type Setting, SettingsError } from '../../src/platform/settings/declare-settings.js';
import { createCertificateAuthority } from '../../src/standalone/certificates.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://service:pw@db.example/service',
  PUBLIC_BASE_URL: 'https://consent.example.com',
  SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  AUTH_SECRET: 'a-secret-of-thirty-two-characters-or-more',
  STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
};

const ZERO_KEY = Buffer.alloc(32).toString('base64');

describe('settings', () => {
  it('has the documented defaults where nothing is set', () => {
    expect(readSettings({})).toMatchObject({
      service: { production: false, port: 3000, host: '127.0.0.1', publicBaseUrl: '', trustedProxies: [] },
      database: { databaseUrl: '', databaseOwnerUrl: '', startWaitSeconds: 300 },
      queue: { redisUrl: '' },
      app: { runWorker: true, demo: true, workerPort: 0, shutdownDelayMs: 0, logLevel: 'warn' },
      secrets: { secretKeys: [] },
      mail: { mailUrl: '', mailFrom: 'Service <no-reply@localhost>' },
      access: { authSecret: '' },
      consent: { ratePerMinute: 600, networkRatePerMinute: 6_000, retentionMonths: 12 },
      outbox: { pollMs: 1000, leaseMs: 60_000, slots: 256 },
      delivery: {
        connectTimeoutMs: 5000,
        timeoutMs: 15_000,
        allowedPrivateTargets: [],
        extraCaFile: '',
        nameServers: [],
      },
      forwarding: { holdHours: 72, legacyCustomEndpoint: true },
    });
  });

  it('leaves worker and demo off where a database is given', () => {
    const settings = readSettings({
      NODE_ENV: 'development',
      DATABASE_URL: 'postgresql://db.example/service',
    });
    expect(settings.app).toMatchObject({ runWorker: false, demo: false });
  });

  it('takes a complete production environment', () => {
    expect(readSettings(PRODUCTION)).toMatchObject({
      service: { production: true },
      app: { demo: false, shutdownDelayMs: 5_000, logLevel: 'info' },
    });
  });

  describe('development by omission', () => {
    it.each([
      ['a database', { DATABASE_URL: 'postgresql://127.0.0.1/service' }],
      ['all addresses', { HOST: '0.0.0.0' }],
      ['all addresses of IPv6', { HOST: '::' }],
      ['an address of the network', { HOST: '192.168.1.4' }],
      ['a name', { HOST: 'consent.example.com' }],
      ['a name that begins like loopback', { HOST: '127.0.0.1.example.com' }],
      ['an address that ends like loopback', { HOST: '10.127.0.1' }],
    ])('is refused with %s', (_, environment) => {
      expect(() => readSettings(environment)).toThrow(/^NODE_ENV must be set with .*production/);
      expect(() => readSettings({ ...environment, NODE_ENV: '' })).toThrow(/^NODE_ENV must be set/);
      expect(readSettings({ ...environment, NODE_ENV: 'development' }).service.production).toBe(false);
    });

    it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', 'localhost'])(
      'is what %s on a machine without settings means',
      (host) => {
        expect(readSettings({ HOST: host }).service.production).toBe(false);
      },
    );
  });

  it.each([
    ['SCANNER_NAME_SERVERS', 'nonsense'],
    ['SCANNER_NAME_SERVERS', '192.0.2.1:0'],
    ['CUSTOM_DOMAIN_RESOLVERS', '999.0.2.1'],
    ['CUSTOM_DOMAIN_RESOLVERS', '192.0.2.1:70000'],
    ['FORWARDING_NAME_SERVERS', '[2001:db8::1'],
    ['CUSTOM_DOMAIN_CA', 'https://letsencrypt.org'],
    ['CUSTOM_DOMAIN_CA', "Let's Encrypt"],
  ])('refuses %s=%s', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must `));
  });

  it.each(['/no/chromium', tmpdir()])('refuses SCANNER_CHROMIUM=%s only where pages are visited', (path) => {
    expect(readSettings({ SCANNER_CHROMIUM: path }).scans.chromium).toBe(path);
    expect(() => findChromium(path)).toThrow(
      new SettingsError('SCANNER_CHROMIUM must be the path of an executable file.'),
    );
    expect(findChromium(process.execPath)).toBe(process.execPath);
  });

  it('takes name servers with and without a port', () => {
    const servers = ['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]:53'];
    const settings = readSettings({ FORWARDING_NAME_SERVERS: servers.join(', ') });
    expect(settings.delivery.nameServers).toEqual(servers);
  });

  it('takes an https page or a mailto link as contact', () => {
    for (const url of ['https://www.example.com/contact', 'mailto:sales@example.com'])
      expect(readSettings({ CONTACT_URL: url }).licensing.contactUrl).toBe(url);
    for (const url of ['javascript:alert(1)', 'http://www.example.com', 'sales@example.com'])
      expect(() => readSettings({ CONTACT_URL: url })).toThrow(
        'CONTACT_URL must be a URL that starts with https:// or mailto:.',
      );
  });

  it('reads where to publish, and who tells the country', () => {
    expect(readSettings({ DATA_DIR: '/data' }).publishing).toMatchObject({
      storage: { kind: 'folder', path: '/data/cdn' },
      countryHeader: '',
    });
    expect(readSettings({ STORAGE_URL: 'file:///srv/sites' }).publishing.storage).toEqual({
      kind: 'folder',
      path: '/srv/sites',
    });
    expect(
      readSettings({
        STORAGE_URL: 's3://bucket',
        COUNTRY_HEADER: 'CF-IPCountry',
        TRUSTED_PROXIES: '192.0.2.1',
      }).publishing,
    ).toMatchObject({
      storage: {
        kind: 's3',
        bucket: 'bucket',
        prefix: '',
        endpoint: '',
        region: 'us-east-1',
        pathStyle: false,
      },
      countryHeader: 'cf-ipcountry',
    });
    const url = 's3://bucket/a/b/?endpoint=http://127.0.0.1:9000&region=eu-central-1';
    expect(readSettings({ STORAGE_URL: url }).publishing.storage).toEqual({
      kind: 's3',
      bucket: 'bucket',
      prefix: 'a/b/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-central-1',
      pathStyle: true,
    });
    expect(readSettings({ STORAGE_URL: `${url}&pathStyle=false` }).publishing.storage).toMatchObject({
      pathStyle: false,
    });
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', 'x'],
    ['PUBLIC_BASE_URL', 'consent.example.com'],
    ['DATABASE_URL', 'mysql://db.example/x'],
    ['REDIS_URL', 'localhost:6379'],
    ['RUN_WORKER', 'yes'],
    ['NODE_ENV', 'staging'],
    ['LOG_LEVEL', 'loud'],
    ['SECRET_KEYS', 'k1:c2hvcnQ='],
    ['SECRET_KEYS', `k1:${randomBytes(32).toString('base64')},k1:${randomBytes(32).toString('base64')}`],
    ['AUTH_SECRET', 'short'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['FORWARDING_ALLOWED_PRIVATE_TARGETS', 'example.com'],
    ['FORWARDING_EXTRA_CA_FILE', '/nowhere/ca.pem'],
    ['FORWARDING_NAME_SERVERS', 'dns.example.com'],
    ['FORWARDING_NAME_SERVERS', '192.0.2.1:0'],
    ['FORWARDING_NAME_SERVERS', '[192.0.2.1]:53'],
    ['OUTBOX_LEASE_MS', '15000'],
    ['LEGACY_CUSTOM_ENDPOINT', 'true'],
    ['AUTH_SECRET_FILE', '/nowhere/secret'],
    ['STRIPE_SECRET_KEY', 'pk_live_1'],
    ['STRIPE_WEBHOOK_SECRETS', 'short'],
    ['STRIPE_WEBHOOK_SECRETS', 'sk_live_0123456789abcdef'],
    ['STRIPE_WEBHOOK_SECRETS', Array(4).fill('whsec_0123456789abcdef').join()],
    ['STRIPE_API_BASE', 'api.stripe.com'],
    ['STRIPE_PRICES', 'price_1=enterprise:month'],
    ['STRIPE_PRICES', 'price_1=lite:month'],
    ['STRIPE_PRICES', 'price_1=pro:week'],
    ['STRIPE_PRICES', 'price_1:pro:month'],
    ['STRIPE_PRICES', 'price_1=pro:month,price_1=business:month'],
    ['STORAGE_URL', '/var/sites'],
    ['STORAGE_URL', 'https://bucket'],
    ['STORAGE_URL', 's3://'],
    ['STORAGE_URL', 's3://key:secret@bucket'],
    ['STORAGE_URL', 's3://Bucket_1?endpoint=ftp://x'],
    ['STORAGE_URL', 's3://bucket?endpoint=s3.example.com'],
    ['STORAGE_URL', 's3://bucket?colour=red'],
    ['STORAGE_URL', 's3://bucket?pathStyle=yes'],
    ['COUNTRY_HEADER', 'cf ipcountry'],
  ])('refuses %s=%s with a sentence that names it', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError);
    expect(() => readSettings({ [name]: value })).toThrow(name);
  });

  it.each([
    ['SECRET_KEYS', `k1:${ZERO_KEY}`, 'has a key of zeros'],
    ['SECRET_KEYS', `k1:${randomBytes(32).toString('base64')},k0:${ZERO_KEY}`, 'has a key of zeros'],
    ['EVIDENCE_KEYS', `e1:${ZERO_KEY}`, 'has a key of zeros'],
    ['PUBLIC_BASE_URL', 'https://consent.example.com/api', 'must be an origin'],
    ['PUBLIC_BASE_URL', 'https://consent.example.com/?a=1', 'must be an origin'],
    ['PUBLIC_BASE_URL', 'https://u:p@consent.example.com', 'must be an origin'],
    ['STRIPE_API_BASE', 'https://stripe.example.com/v1', 'must be an origin'],
    ['HOST', 'http://127.0.0.1', 'without scheme and port'],
    ['HOST', '127.0.0.1:3000', 'without scheme and port'],
    ['HOST', '127.0.0.300', 'must be an address'],
    ['HOST', 'two words', 'must be an address'],
    ['HOST', '-x', 'must be an address'],
    ['COUNTRY_HEADER', 'cf-ipcountry', 'TRUSTED_PROXIES'],
    ['FORWARDING_EXTRA_CA_FILE', '/nowhere.pem', 'does not exist'],
    ['FORWARDING_EXTRA_CA_FILE', 'package.json', 'contains no PEM certificate'],
    ['FORWARDING_EXTRA_CA_FILE', tmpdir(), 'cannot be parsed'],
    ['EVIDENCE_TIMESTAMP_URL', 'timestamp.example.com', 'must be a URL that starts with'],
    ['EVIDENCE_TIMESTAMP_URL', 'ftp://127.0.0.1/', 'must be a URL that starts with'],
    ['EVIDENCE_TIMESTAMP_URL', 'http://timestamp.example.com/tsr', 'must use https'],
    ['EVIDENCE_TIMESTAMP_URL', 'http://127.0.0.1.example.com/tsr', 'must use https'],
    ['EVIDENCE_TIMESTAMP_URL', 'https://u:p@timestamp.example.com/tsr', 'must not contain credentials'],
    ['EVIDENCE_TIMESTAMP_SECONDS', '0', 'must be a whole number'],
  ])('refuses %s=%s in a sentence that says why', (name, value, why) => {
    const read = (): unknown => readSettings({ NODE_ENV: 'development', [name]: value });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(new RegExp(`^${name} .*${why}.*\\.$`));
  });

  it('refuses a file with a certificate that is none, and takes one that is', async () => {
    const file = join(tmpdir(), `authority-${process.pid}.pem`);
    const { certificatePem } = await createCertificateAuthority('Of a test');
    writeFileSync(file, `a comment\n${certificatePem}`);
    expect(readSettings({ FORWARDING_EXTRA_CA_FILE: file }).delivery.extraCaFile).toBe(file);
    writeFileSync(file, certificatePem.replace(/[A-Za-z0-9+/]{40}/, 'A'.repeat(40)));
    expect(() => readSettings({ FORWARDING_EXTRA_CA_FILE: file })).toThrow(
      /PEM certificates cannot be parsed/,
    );
    rmSync(file);
  });

  it.each([
    'https://consent.example.com',
    'https://consent.example.com/',
    'https://consent.example.com:8443',
  ])('takes the origin %s', (origin) => {
    expect(readSettings({ PUBLIC_BASE_URL: origin }).service.publicBaseUrl).toBe(new URL(origin).origin);
  });

  it.each(['127.0.0.1', '::1', 'localhost', 'api_1', 'consent.example.com'])('takes the host %s', (host) => {
    expect(readSettings({ NODE_ENV: 'development', HOST: host }).service.host).toBe(host);
  });

  it('reads prices, and what they sell', () => {
    const { billing } = readSettings({ STRIPE_PRICES: 'price_a=pro:month, price_b=business:yearly' });
    expect(billing).toEqual({
      stripeSecretKey: '',
      webhookSecrets: [],
      stripeApiBase: 'https://api.stripe.com',
      prices: [
        { priceId: 'price_a', tier: 'pro', interval: 'month' },
        { priceId: 'price_b', tier: 'business', interval: 'year' },
      ],
    });
  });

  it.each(['DATABASE_URL', 'PUBLIC_BASE_URL', 'SECRET_KEYS', 'AUTH_SECRET'])(
    'refuses production without %s',
    (name) => {
      const { [name as keyof typeof PRODUCTION]: _, ...rest } = PRODUCTION;
      expect(() => readSettings(rest)).toThrow(name);
    },
  );

  it('takes production without Stripe, but no key without the secret of its webhook', () => {
    const { STRIPE_WEBHOOK_SECRETS: _, ...withoutStripe } = PRODUCTION;
    expect(readSettings(withoutStripe).billing.webhookSecrets).toEqual([]);
    expect(() => readSettings({ ...withoutStripe, STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef' })).toThrow(
      'STRIPE_WEBHOOK_SECRETS',
    );
  });

  it('takes production without mail, but no mail server without a sender', () => {
    expect(readSettings(PRODUCTION).mail.mailUrl).toBe('');
    const mail = { ...PRODUCTION, MAIL_URL: 'smtps://u:p@mail.example.com' };
    expect(() => readSettings(mail)).toThrow('MAIL_FROM must be set with MAIL_URL.');
    expect(() => readSettings({ ...mail, MAIL_FROM: 'nobody' })).toThrow(/MAIL_FROM must be an address/);
    expect(() => readSettings({ ...mail, MAIL_URL: 'smtp://mail.example.com/x' })).toThrow(
      /MAIL_URL must name/,
    );
    expect(readSettings({ ...mail, MAIL_FROM: 'A Name <a@example.com>' }).mail.mailFrom).toBe(
      'A Name <a@example.com>',
    );
  });

  it('refuses the demo and plain http in production', () => {
    expect(() => readSettings({ ...PRODUCTION, DEMO: 'true' })).toThrow('DEMO');
    expect(() => readSettings({ ...PRODUCTION, PUBLIC_BASE_URL: 'http://a.example' })).toThrow(
      'PUBLIC_BASE_URL',
    );
    expect(() => readSettings({ ...PRODUCTION, STRIPE_API_BASE: 'http://a.example' })).toThrow(
      'STRIPE_API_BASE',
    );
    const stamped = (url: string): unknown => readSettings({ ...PRODUCTION, EVIDENCE_TIMESTAMP_URL: url });
    expect(() => stamped('http://127.0.0.1/tsr')).toThrow(
      'EVIDENCE_TIMESTAMP_URL must use https in production.',
    );
    expect(stamped('https://timestamp.example.com/tsr')).toMatchObject({
      evidence: { timestampUrl: 'https://timestamp.example.com/tsr', timestampSeconds: 3600 },
    });
  });

  it('tells everything that is wrong at once', () => {
    expect(() => readSettings({ PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(/PORT[^]*LOG_LEVEL/);
  });

  it('never repeats a secret or a URL that may hold one', () => {
    const secret = 'hunter2hunter2';
    const declared = NAMESPACES.flatMap(
      ({ settings }) => Object.values(settings) as Partial<Setting<unknown>>[],
    );
    const secrets = declared.filter((setting) => setting.secret).map(({ name = '' }) => name);
    expect(secrets.toSorted()).toEqual([
      'AUTH_SECRET',
      'DATABASE_OWNER_URL',
      'DATABASE_URL',
      'EVIDENCE_KEYS',
      'MAIL_URL',
      'REDIS_URL',
      'SECRET_KEYS',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRETS',
    ]);
    const url = `mysql://u:${secret}@db`;
    const wrong = Object.fromEntries(secrets.map((name) => [name, name.endsWith('_URL') ? url : secret]));
    let message = '';
    try {
      readSettings({ ...wrong, STORAGE_URL: `s3://key:${secret}@bucket` });
    } catch (error) {
      message = (error as Error).message;
    }
    for (const name of [...secrets, 'STORAGE_URL']) expect(message).toContain(`${name} `);
    expect(message).not.toContain(secret);
  });

  it('tells a fault once, though other settings follow the one that is wrong', () => {
    const environment = {
      NODE_ENV: 'staging',
      INGEST_RATE_PER_MINUTE: 'many',
      AUTH_SECRET_FILE: '/nowhere/secret',
    };
    expect(() => readSettings(environment)).toThrow(
      new SettingsError(
        [
          'NODE_ENV must be one of development, production, test.',
          'AUTH_SECRET_FILE names a file that cannot be read.',
          'INGEST_RATE_PER_MINUTE must be a whole number from 0 to 1000000.',
        ].join('\n'),
      ),
    );
  });

  it('reads a secret from the file that NAME_FILE names', () => {
    const file = join(tmpdir(), `auth-secret-${process.pid}`);
    writeFileSync(file, 'a-secret-of-thirty-two-characters-or-more\n', { mode: 0o600 });
    const { authSecret } = readSettings({ AUTH_SECRET_FILE: file }).access;
    rmSync(file);
    expect(authSecret).toBe('a-secret-of-thirty-two-characters-or-more');
  });
});
