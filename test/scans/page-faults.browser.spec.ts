import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PAGE_FAULTS_MAX } from '../../src/modules/scans/domain/scan-limits.js';
import type { Json } from '../support/people/json.js';
import { linkMailedTo } from '../support/people/person.js';
import { childrenOf } from '../support/programs/processes.js';
import { type ScanService, startScanService } from '../support/programs/scan-service.js';
import { until } from '../support/until.js';
import { cookieOf, PASSWORD } from '../support/people/user.js';
import { BROKEN, respondOddly, scriptsOf, SNIPPETS } from './hostile-snippets.js';

const SCAN_DEADLINE_MS = 840_000;
const SKIP = { skipStates: ['reject', 'accept', 'signal'] };
/** Makes the handler of the hooks' reports throw for this cookie, as a defect in it would. */
const DEFECT = `
  const { parse } = JSON;
  JSON.parse = (text, ...given) => {
    if (String(text).startsWith('["cookie","faulty"')) throw new Error('a defect of a handler');
    return parse(text, ...given);
  };`;
/** Snippets of a hostile page, each with each broken address. Some of them keep the page from loading. */
const SNIPPETS_PER_PAGE = 5;
const HOSTILE_PAGES = Math.ceil(SNIPPETS.length / SNIPPETS_PER_PAGE);

let site: Server;
let service: ScanService;

beforeAll(async () => {
  site = createServer((request, response) => {
    const url = new URL(request.url ?? '/', at('/'));
    if (respondOddly(url, response)) return;
    const isMissing = url.pathname === '/robots.txt' || url.pathname === '/sitemap.xml';
    response.statusCode = isMissing ? 404 : 200;
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html>${service.loaderTag}<body>${bodyOf(url.pathname)}`);
  });
  await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
  service = await startScanService({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEFECT)}`,
    SCANNER_ALLOWED_PRIVATE_TARGETS: new URL(at('/')).host,
    SCANNER_PAGE_SECONDS: '10',
    SCANNER_STATE_PAGES: '1',
    SCANNER_DWELL_SECONDS: '1',
  });
});
afterAll(async () => {
  await service?.stop();
  site?.closeAllConnections();
  site?.close();
});

const at = (path: string): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`;

function bodyOf(path: string): string {
  const [, kind, number] = path.split('/');
  if (kind === 'faulty') return `<script>document.cookie = 'faulty=${number}'</script>`;
  if (kind !== 'hostile') return '';
  const first = Number(number) * SNIPPETS_PER_PAGE;
  const snippets = SNIPPETS.slice(first, first + SNIPPETS_PER_PAGE);
  return scriptsOf(snippets.flatMap((snippet) => BROKEN.map(snippet)));
}

const pagesOf = (scan: Json): unknown[] =>
  (scan['pageList'] as Json[]).map(({ status, reason }) => (reason as Json | null)?.['code'] ?? status);

/** The service starts its scanner for the first scan. */
const scannerPid = (): Promise<number> =>
  until('the scanner runs', () => childrenOf(service.pid).get('scanner-program.js'));

const faulty = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => at(`/faulty/${number}`));

it('fails a scan with the reason after three pages that cause exceptions, in the same process', async () => {
  const urls = [at('/one'), ...faulty(PAGE_FAULTS_MAX), at('/never')];
  const id = await service.request({ ...SKIP, urls });
  const pid = await scannerPid();
  const scan = await service.ended(id);
  expect(scan).toMatchObject({ status: 'failed', reason: { code: 'scanner_error' } });
  const failed = faulty(PAGE_FAULTS_MAX).map(() => 'scanner_error');
  expect(pagesOf(scan)).toEqual(['visited', ...failed, 'scan_ended']);
  expect(await scannerPid()).toBe(pid);
});

it('fails only the pages where fewer cause exceptions', async () => {
  const pid = await scannerPid();
  const fewer = faulty(PAGE_FAULTS_MAX - 1);
  const scan = await service.scan({ ...SKIP, urls: [at('/one'), ...fewer, at('/two')] });
  expect(scan).toMatchObject({ status: 'partial', reason: { code: 'pages_failed' } });
  expect(pagesOf(scan)).toEqual(['visited', ...fewer.map(() => 'scanner_error'), 'visited']);
  expect(await scannerPid()).toBe(pid);
});

it('survives pages that attack each of its handlers, and scans for another account', async () => {
  const pid = await scannerPid();
  const before = service.output().length;
  const urls = Array.from({ length: HOSTILE_PAGES }, (_, number) => at(`/hostile/${number}`));
  const hostile = await service.request({ ...SKIP, urls });
  const others = await scanOfAnotherAccount();
  expect(pagesOf(await others.ended())).toEqual(['visited']);
  const scan = await service.ended(hostile);
  expect(['completed', 'partial']).toContain(scan['status']);
  const endings = ['visited', 'timeout', 'crashed', 'redirected_outside'];
  for (const page of pagesOf(scan)) expect(endings).toContain(page);
  expect(service.output().slice(before)).not.toContain('exception');
  expect(await scannerPid()).toBe(pid);
});

/** Requests a scan of one page with a new account. */
async function scanOfAnotherAccount(): Promise<{ ended: () => Promise<Json> }> {
  const email = 'other@example.com';
  let cookie = '';
  const call = async (method: string, path: string, body?: Json): Promise<Response> => {
    const response = await fetch(`${service.baseUrl}/v1${path}`, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return response;
  };
  await call('POST', '/auth/sign-up/email', { email, password: PASSWORD, name: 'Other' });
  const token = new URL(await linkMailedTo(service, email)).searchParams.get('token');
  cookie = cookieOf(await call('POST', '/auth/confirm-email', { token, password: PASSWORD }));
  const project = (await (await call('POST', '/projects', { name: 'Theirs' })).json()) as Json;
  const scans = `/projects/${String(project['id'])}/scans`;
  const { id } = (await (await call('POST', scans, { urls: [at('/theirs')] })).json()) as Json;
  return {
    ended: () =>
      until(
        'the scan of the other account has ended',
        async () => {
          const scan = (await (await call('GET', `${scans}/${String(id)}`)).json()) as Json;
          return ['queued', 'running'].includes(String(scan['status'])) ? null : scan;
        },
        SCAN_DEADLINE_MS,
      ),
  };
}
