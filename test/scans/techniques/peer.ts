// What @slashgear/gdpr-cookie-scanner finds on the farm, with Debian's Chromium. It is installed by
// `npm run generate -- services`; then: node --import ./test/support/typescript.mjs test/scans/techniques/peer.ts
import { pathToFileURL } from 'node:url';
import type { BrowserType, LaunchOptions } from 'playwright-core';
import { startScanService } from '../../support/programs/scan-service.js';
import { CONSENT_TECHNIQUES, IGNORING } from './consent-sites.js';
import { GROUPS, startFarm } from './test-sites.js';
import { type ExpectedItem, MAIN } from './technique.js';
import { TRAPS } from './traps.js';

const PACKAGES = 'scripts/cookie-data/node_modules';
const PAGE_TIMEOUT_MS = 8_000;
const SCAN_TIMEOUT_MS = 90_000;

interface PeerCookie {
  name: string;
  domain: string;
}

interface PeerResult {
  cookiesBeforeInteraction: PeerCookie[];
  cookiesAfterReject: PeerCookie[];
  networkBeforeInteraction: { url: string }[];
  errors: string[];
}

const load = (file: string): Promise<unknown> => import(pathToFileURL(`${PACKAGES}/${file}`).href);

const farm = await startFarm();
const service = await startScanService(farm.environment);
farm.loaderTag = service.loaderTag;
await service.call('PATCH', '', { domains: ['farm.example'] });
await service.call('PUT', '/configuration', { banner: { enabled: true } });
const { chromium } = (await load('playwright/index.mjs')) as { chromium: BrowserType };
const launch = chromium.launch.bind(chromium);
chromium.launch = (options: LaunchOptions = {}) =>
  launch({
    ...options,
    executablePath: farm.environment['SCANNER_CHROMIUM'] ?? '',
    args: [...(options.args ?? []), '--host-resolver-rules=MAP * 127.0.0.1'],
  });
const { scan } = (await load('@slashgear/gdpr-cookie-scanner/dist/index.js')) as {
  scan(url: string, options: { timeout: number }): Promise<PeerResult>;
};

const isSeen = (result: PeerResult, { kind, name, host, blocked }: ExpectedItem): boolean => {
  if (kind === 'cookie')
    return (
      blocked === undefined &&
      result.cookiesBeforeInteraction.some((each) => each.name === name && each.domain === host)
    );
  if (kind !== 'request') return false;
  return result.networkBeforeInteraction.some(({ url }) => {
    const { host: requested, pathname } = new URL(url);
    return requested === host && pathname === name.split('?')[0];
  });
};

const print = (name: string, result: string): void => void process.stdout.write(`${result}\t${name}\n`);

for (const { path, techniques } of GROUPS) {
  const result = await scan(farm.https(MAIN, path), { timeout: PAGE_TIMEOUT_MS });
  for (const { name, truth } of techniques) {
    const all = truth(farm);
    const seen = all.filter((item) => isSeen(result, item));
    print(
      name,
      all.length === 0 ? 'nothing' : seen.length === all.length ? 'yes' : seen.length > 0 ? 'partly' : 'no',
    );
  }
}
const result = await scan(farm.http(IGNORING), { timeout: PAGE_TIMEOUT_MS });
const hasTracker = (cookies: PeerCookie[]): string =>
  cookies.some(({ name }) => name === '_ga') ? 'yes' : 'no';
// Without a button to refuse, the second list repeats the first one.
const isRefused = !result.errors.some((error) => error.includes('reject'));
const consent = [
  hasTracker(result.cookiesBeforeInteraction),
  isRefused ? hasTracker(result.cookiesAfterReject) : 'not tested',
];
for (const [index, { name }] of CONSENT_TECHNIQUES.entries()) print(name, consent[index] ?? 'not tested');
for (const { name, start } of TRAPS) {
  const startedMs = performance.now();
  const late = new Promise<string>((done) => setTimeout(() => done('hangs'), SCAN_TIMEOUT_MS));
  const scanning = scan(farm.https(...start), { timeout: PAGE_TIMEOUT_MS }).then(
    ({ errors }) => `ends (${errors[0]?.split('\n')[0] ?? 'no error'})`,
    (error: unknown) => `fails (${String(error).split('\n')[0]})`,
  );
  print(
    name,
    `${await Promise.race([scanning, late])} after ${Math.round((performance.now() - startedMs) / 1000)} s`,
  );
}
await service.stop();
await farm.close();
process.exit(0);
