import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';
import { unzip } from '../support/rules/unzip.js';

const PAGE = pathToFileURL(join(import.meta.dirname, '..', '..', 'verify', 'verify.html')).href;
const SEALED_DEADLINE_MS = 60_000;

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;
let consentId: string;
let folder: string;

beforeAll(async () => {
  service = await startLoneService({ EVIDENCE_SEAL_SECONDS: '1', EVIDENCE_ROOT_SECONDS: '1' });
  browser = await launchBrowser();
  context = await browser.newContext({ acceptDownloads: true, viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  folder = mkdtempSync(join(tmpdir(), 'consent-verify-'));
  const credentials = readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8');
  ({ projectId } = JSON.parse(credentials) as { projectId: string });
  // The owner of the demo, by the link that the start prints.
  const [link = ''] = /http\S+\/demo\/sign-in\?token=\S+/.exec(service.output()) ?? [];
  await page.goto(link);
  const stored = await context.request.post(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
    data: { analytics: true, marketing: false, preferences: true, action: 'custom' },
  });
  ({ id: consentId } = (await stored.json()) as { id: string });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const text = async (path: string): Promise<string> =>
  (await context.request.get(`${service.baseUrl}${path}`)).text();
const proofPath = (): string => `/v1/projects/${projectId}/consents/${consentId}/proof`;

/** The download of a link. */
async function downloadBy(link: Locator): Promise<{ name: string; bytes: Buffer }> {
  const downloading = page.waitForEvent('download');
  await link.click();
  const download = await downloading;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** As Web Crypto was before it had Ed25519. */
const withoutEd25519 = `
  const { importKey } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.importKey = function (format, bytes, algorithm, ...rest) {
    return algorithm.name === 'Ed25519'
      ? Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError'))
      : importKey.call(this, format, bytes, algorithm, ...rest);
  };
`;

describe('the proof beside a record', () => {
  it('comes when the record is sealed, is checked in the browser, and taken along as a file', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/consents?open=${consentId}`);
    const proof = page.getByRole('region', { name: 'Proof' });
    await proof.getByText('Entry 1 in this project’s log.').waitFor({ timeout: SEALED_DEADLINE_MS });
    await proof.getByRole('button', { name: 'Verify in this browser' }).click();
    await proof.getByText('Proof verified in your browser:').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    const file = await downloadBy(page.getByRole('link', { name: 'Download proof' }));
    expect(file.name).toBe(`consent-${consentId}.tlog-proof`);
    expect(file.bytes.toString()).toMatch(/^c2sp\.org\/tlog-proof@v1\n/);
    const pdf = await downloadBy(proof.getByRole('link', { name: 'Download as PDF' }));
    expect(pdf.name).toBe(`consent-${consentId}.pdf`);
    expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    await page.keyboard.press('Escape');
  });

  it('comes with the export of the records that is named for it', async () => {
    const exported = async (name: string) => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      return downloadBy(page.getByRole('menuitem', { name, exact: true }));
    };
    const csv = await exported('Export CSV');
    expect(csv.name).toMatch(/^consents-.*\.csv$/);
    const zip = await exported('Export CSV with proofs');
    expect(zip.name).toMatch(/^consents-.*\.zip$/);
    expect([...(await unzip(zip.bytes)).keys()]).toEqual([
      csv.name,
      `proofs/${consentId}.tlog-proof`,
      'README.txt',
    ]);
    const pdf = await exported('Export PDF');
    expect(pdf.name).toMatch(/^consents-.*\.pdf$/);
    await page.goto(`${service.baseUrl}/projects/${projectId}/consents?open=${consentId}`);
  });

  it('says at which step it was refused, where the browser is given another one', async () => {
    await page.route(`**${proofPath()}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/^index 0$/m, 'index 1') });
    });
    const proof = page.getByRole('region', { name: 'Proof' });
    await proof.getByRole('button', { name: 'Verify in this browser' }).click();
    await proof.getByRole('alert').getByText('Verification failed at the step “tree: path”').waitFor();

    const speak = (language: string) =>
      page.evaluate(`localStorage.setItem('language', '${language}')`).then(() => page.reload());
    await speak('de');
    const nachweis = page.getByRole('region', { name: 'Nachweis' });
    await nachweis.getByRole('button', { name: 'In diesem Browser prüfen' }).click();
    expect(await nachweis.getByRole('alert').textContent()).toBe(
      'Prüfung fehlgeschlagen beim Schritt „tree: path“: Der Eintrag ist in dieser Form nicht im signierten Protokoll enthalten.',
    );
    await speak('en');
    // A text that loses its byte order mark on the way to the check would pass.
    await page.unroute(`**${proofPath()}`);
    await page.route(`**${proofPath()}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `\ufeff${await response.text()}` });
    });
    await proof.getByRole('button', { name: 'Verify in this browser' }).click();
    await proof.getByRole('alert').getByText('Verification failed at the step “file”').waitFor();
    await page.unroute(`**${proofPath()}`);
  });

  it('is not called wrong by a browser that lacks Ed25519', async () => {
    const old = await context.newPage();
    await old.addInitScript(withoutEd25519);
    await old.goto(`${service.baseUrl}/projects/${projectId}/consents?open=${consentId}`);
    const proof = old.getByRole('region', { name: 'Proof' });
    await proof.getByRole('button', { name: 'Verify in this browser' }).click();
    await proof.getByRole('alert').getByText('This browser can’t verify Ed25519 signatures').waitFor();
    expect(await old.getByText('Verification failed').count()).toBe(0);
    await old.close();
  });
});

describe('the page that works from a folder', () => {
  it('accepts the proof without a connection, and refuses it with one byte altered', async () => {
    await until(
      'in the root log',
      async () => {
        const { evidence } = JSON.parse(await text(proofPath().replace('/proof', ''))) as {
          evidence: { isInRootLog: boolean };
        };
        return evidence.isInRootLog;
      },
      SEALED_DEADLINE_MS,
    );
    const rooted = await text(proofPath());
    const keys = await text('/.well-known/consent-log-keys');
    writeFileSync(join(folder, 'keys'), keys);
    writeFileSync(join(folder, 'whole'), rooted);
    writeFileSync(
      join(folder, 'altered'),
      rooted.replace(
        /\n(\d+)\n(.)/,
        (_whole, size: string, first: string) => `\n${size}\n${first === 'A' ? 'B' : 'A'}`,
      ),
    );
    const offline = await browser.newContext({ offline: true });
    const own = await offline.newPage();
    await own.goto(PAGE);
    const status = own.getByRole('status');
    await own.getByLabel('The keys that you trust').setInputFiles(join(folder, 'keys'));
    await own.getByLabel('Its proof').setInputFiles(join(folder, 'whole'));
    await own.getByRole('button', { name: 'Check the proof' }).press('Enter');
    await status.getByText('ok    root log').waitFor();
    expect(await status.textContent()).toContain(`"id": "${consentId}"`);
    await own.getByLabel('Its proof').setInputFiles(join(folder, 'altered'));
    await own.getByRole('button', { name: 'Check the proof' }).click();
    await status.getByText('WRONG tree').waitFor();
    expect(await pageFaults(own)).toEqual([]);
    writeFileSync(join(folder, 'marked'), `\ufeff${rooted}`);
    await own.getByLabel('Its proof').setInputFiles(join(folder, 'marked'));
    await own.getByRole('button', { name: 'Check the proof' }).click();
    await status.getByText('WRONG file').waitFor();
    await own.addInitScript(withoutEd25519);
    await own.reload();
    await own.getByLabel('The keys that you trust').setInputFiles(join(folder, 'keys'));
    await own.getByLabel('Its proof').setInputFiles(join(folder, 'whole'));
    await own.getByRole('button', { name: 'Check the proof' }).click();
    await status.getByText('CANNOT CHECK this browser cannot check Ed25519 signatures').waitFor();
    expect(await status.textContent()).not.toContain('WRONG');
    await offline.close();
  });
});
