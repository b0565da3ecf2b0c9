import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { openScanBrowser, type ScanBrowser } from '../support/programs/scan-browser.js';
import { until } from '../support/until.js';

const DISK_BYTES_MAX = 100_000_000;
const REQUEST_LIMIT = { burst: 40, perSecond: 5 };
/** Pages of which a part never arrives, so that the visit lasts as long as it may. */
const PAGES: Record<string, string> = {
  '/filling': `<!doctype html><img src="/never"><script>
    const opening = indexedDB.open('filling');
    opening.onupgradeneeded = () => opening.result.createObjectStore('rows', { autoIncrement: true });
    opening.onsuccess = async () => {
      for (;;) {
        const rows = opening.result.transaction('rows', 'readwrite').objectStore('rows');
        const noise = new Uint8Array(5_000_000);
        for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536));
        await new Promise((stored) => (rows.add(noise).onsuccess = stored));
      }
    };
  </script>`,
  '/asking': `<!doctype html><img src="/never"><script>
    for (let n = 0; n < 200; n += 1) void fetch('/asked?' + n);
  </script>`,
};

let site: Server;
let browser: ScanBrowser;
let asked: number;

beforeEach(async () => {
  asked = 0;
  site = createServer(({ url = '' }, response) => {
    const page = PAGES[url];
    if (url.startsWith('/asked')) asked += 1;
    if (url === '/never') return;
    response.setHeader('content-type', 'text/html');
    response.end(page ?? '');
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const limits = { requestLimit: REQUEST_LIMIT, diskBytesMax: DISK_BYTES_MAX };
  browser = await openScanBrowser(newId(), [host()], limits);
});
afterEach(async () => {
  await browser.close();
  site.closeAllConnections();
  site.close();
});

const host = (): string => `127.0.0.1:${(site.address() as AddressInfo).port}`;

it('ends the browser of a page that fills its storage', async () => {
  void browser.visit(`http://${host()}/filling`, 120_000).catch(() => {});
  await until('the browser is ended', () => browser.chromium.exceeded);
  expect(browser.chromium.exceeded).toBe('disk_limit');
});

it('lets a page send its requests at a rate', async () => {
  const startedMs = performance.now();
  void browser.visit(`http://${host()}/asking`, 120_000).catch(() => {});
  await until(
    'requests arrive beyond the burst',
    () => asked > REQUEST_LIMIT.burst + REQUEST_LIMIT.perSecond,
  );
  const { burst, perSecond } = REQUEST_LIMIT;
  expect(asked).toBeLessThanOrEqual(burst + (perSecond * (performance.now() - startedMs)) / 1000 + 1);
});
