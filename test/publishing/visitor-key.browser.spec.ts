import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { defaultTexts } from '../../src/modules/publishing/domain/default-texts.js';
import { requireExtra } from '../support/programs/extras.js';
import { launchBrowser, type SitePage, startSite, type TestServer } from '../support/programs/browser.js';
import { arrived, bodyOf, type Forwarding, startForwarding } from '../support/people/forwarding.js';
import type { Json } from '../support/people/json.js';
import type { TestProject } from '../support/people/project.js';
import { until } from '../support/until.js';
import { makeVisitorKey } from '../support/people/visitor-key.js';

const AXE = readFileSync(requireExtra.resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let forwarding: Forwarding;
let site: TestServer;
let project: TestProject;
let context: BrowserContext;
const pages: Record<string, SitePage> = {};

beforeAll(async () => {
  forwarding = await startForwarding({ worker: true });
  [browser, site] = await Promise.all([launchBrowser(), startSite(pages)]);
  project = await forwarding.forwardingProject({ forwardErasures: true });
  const configured = await project.request('editor', 'PUT', '/configuration', {
    banner: { enabled: true },
    // As the editor adds a language: the labels are ours, and not stored.
    texts: defaultTexts().map((text) => ({ ...text, labels: {} })),
  });
  expect({ status: configured.status, body: await configured.json() }).toMatchObject({ status: 200 });
  await until('published', async () => {
    const view = await project.request('viewer', 'GET', '/configuration');
    return ((await view.json()) as { lastPublication: object | null }).lastPublication !== null;
  });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await forwarding?.close();
});
beforeEach(async () => {
  await context?.close();
  context = await browser.newContext({ reducedMotion: 'reduce' });
  pages['/'] = sitePage('en');
});

/** What runs inside a page knows it. */
declare const document: {
  querySelector(selector: string): { shadowRoot: { activeElement: { className: string } | null } } | null;
};

/** Another origin than the service's, and one that may hash: a name of this machine. */
const open = async (): Promise<Page> => {
  const opened = await context.newPage();
  await opened.goto(`http://shop.localhost:${site.port}/`);
  return opened;
};
const sitePage = (lang: string): SitePage => ({
  html: `<!doctype html><html lang="${lang}"><head><title>A shop</title>
    <script src="${forwarding.service.baseUrl}/cdn/${project.id}/loader.js"></script></head>
    <body><main><h1>A shop</h1><p>Everything for tea.</p></main></body></html>`,
  headers: {
    'content-security-policy': `default-src 'self' ${forwarding.service.baseUrl}; require-trusted-types-for 'script'; trusted-types serviceConsent`,
  },
});
const button = (opened: Page, name: string) => opened.getByRole('button', { name, exact: true });
const records = (): Promise<Json[]> =>
  forwarding.service.database.query('select * from consent_record where project_id = $1 order by id', [
    project.id,
  ]);
const recorded = (count: number): Promise<Json[]> =>
  until('recorded', async () => {
    const all = await records();
    return all.length === count ? all : null;
  });
const stored = (opened: Page): Promise<Record<string, string>> =>
  opened.evaluate(() => ({
    ...(globalThis as unknown as { localStorage: Record<string, string> }).localStorage,
  }));
const ask = async (request: string, body: Json): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`${forwarding.service.baseUrl}/v1/visitor/${request}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
};
const told = (id: unknown) =>
  until('the receiver is told', () =>
    forwarding.sharedReceiver.requests.find((request) => {
      const body = bodyOf(request);
      return body.action === 'erase' && body.id === id;
    }),
  );
/** Run by the browser itself: the page's policies are not for it. */
const findings = async (opened: Page): Promise<unknown> => {
  const session = await context.newCDPSession(opened);
  await session.send('Runtime.evaluate', { expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id }) => id)))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(String(result.value));
};

describe('“your choices” of our banner', () => {
  it('gives the visitor a receipt, withdraws, and erases, with a key that only her device has', async () => {
    const opened = await open();
    await button(opened, 'Accept all').waitFor();
    // Nothing is stored about visitors before they choose.
    expect(Object.keys(await stored(opened)).filter((name) => /Key|choice/.test(name))).toEqual([]);
    await button(opened, 'Accept all').click();
    const [first] = await recorded(1);
    const key = JSON.parse((await stored(opened))[`serviceMeta:${project.id}:visitorKey`] ?? '') as string;
    expect(key).toMatch(/^[0-9a-f]{76}$/);
    const sent = await arrived(forwarding.sharedReceiver, String(first?.id));
    expect(sent.body).not.toMatch(/visitorKey/);

    await button(opened, 'Privacy settings').click();
    await opened.getByText(String(first?.id)).waitFor();
    expect(await findings(opened)).toEqual([]);
    const [download] = await Promise.all([
      opened.waitForEvent('download'),
      button(opened, 'Download receipt').click(),
    ]);
    expect(download.suggestedFilename()).toBe(`consent-${String(first?.id)}.json`);
    const receipt = readFileSync(await download.path(), 'utf8');
    expect(JSON.parse(receipt)).toMatchObject({
      record_header: { standard: 'ISO/IEC TS 27560:2023', record_id: first?.id },
      party_identification: [{ party_id: project.id, party_url: 'https://shop.localhost' }],
      event: { event_type: 'accept_all', event_state: 'consent_given' },
    });
    expect(receipt).not.toContain(key);

    await button(opened, 'Withdraw consent').click();
    const [, withdrawn] = await recorded(2);
    expect(withdrawn).toMatchObject({
      action: 'withdraw',
      surface: 'link',
      visitor_key_hash: first?.visitor_key_hash,
    });
    await arrived(forwarding.sharedReceiver, String(withdrawn?.id));

    // A stolen consent ID gets the same response as a wrong key.
    const { visitorKey } = makeVisitorKey();
    const wrong = await ask('erasures', { projectId: project.id, visitorKey });
    for (const stolen of [String(first?.id), visitorKey])
      expect(
        await ask('erasures', { projectId: project.id, visitorKey: stolen, consentId: first?.id }),
      ).toEqual(wrong);
    expect(wrong.status).toBe(404);

    await button(opened, 'Privacy settings').click();
    const refused = opened.waitForEvent('dialog').then((dialog) => dialog.dismiss());
    await button(opened, 'Erase my records').click();
    await refused;
    expect(await records()).toHaveLength(2);
    // At the next visit, with the keyboard only. (An automated browser may show no second dialog on one page.)
    await opened.reload();
    await button(opened, 'Privacy settings').click();
    // The layer takes the focus a moment after it is to be seen.
    await until('it has the focus', () =>
      opened.evaluate(
        () =>
          document.querySelector('#consent-banner')?.shadowRoot.activeElement?.className.includes('second') ??
          false,
      ),
    );
    // A withdrawn consent cannot be withdrawn again.
    expect(await button(opened, 'Withdraw consent').count()).toBe(0);
    await button(opened, 'Download receipt').focus();
    await opened.keyboard.press('Tab');
    const asked = opened.waitForEvent('dialog');
    const again = opened.waitForEvent('load');
    void opened.keyboard.press('Enter');
    const dialog = await asked;
    expect(dialog.message()).toMatch(/^Erase all your consent records .* can’t be undone/);
    await dialog.accept();
    await again;
    await button(opened, 'Accept all').waitFor();
    expect(await records()).toEqual([]);
    for (const { id } of [first, withdrawn] as Json[]) await told(id);
    expect(Object.keys(await stored(opened)).filter((name) => !name.endsWith(':configuration'))).toEqual([]);
    expect((await ask('records', { projectId: project.id, visitorKey: key })).status).toBe(404);
    const audit = (await (await project.request('owner', 'GET', '/audit?actorKind=visitor')).json()) as Json;
    expect(audit.items).toMatchObject([{ action: 'visitor.erase', after: { erasedAtOnce: 2 } }]);

    // A second visit asks again, and its choice has another key.
    const next = await open();
    await button(next, 'Reject all').click();
    const [fresh] = await recorded(1);
    expect(String(fresh?.visitor_key_hash)).not.toBe(String(first?.visitor_key_hash));
  });

  it('says so where the service is away, and keeps everything; the receipt is what the browser knows then', async () => {
    const opened = await open();
    const before = (await records()).length;
    await button(opened, 'Reject all').click();
    await recorded(before + 1);
    await context.route('**/v1/visitor/**', (route) => route.abort());
    await button(opened, 'Privacy settings').click();
    opened.once('dialog', (dialog) => void dialog.accept());
    await button(opened, 'Erase my records').click();
    await opened.getByRole('status').getByText('Something went wrong. Please try again later.').waitFor();
    expect(Object.keys(await stored(opened)).some((name) => name.endsWith(':choice'))).toBe(true);
    const [download] = await Promise.all([
      opened.waitForEvent('download'),
      button(opened, 'Download receipt').click(),
    ]);
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
      projectId: project.id,
      analytics: false,
    });
  });

  it.each(
    defaultTexts().map(({ language, labels, acceptAll }) => [language, { ...labels, acceptAll }] as const),
  )('speaks %s', async (language, words) => {
    pages['/'] = sitePage(language);
    const opened = await open();
    await button(opened, words.acceptAll).click();
    await button(opened, words.settingsLink).click();
    for (const name of [words.copy, words.download, words.withdraw, words.erase])
      await button(opened, name).waitFor();
    const asked = opened.waitForEvent('dialog');
    const clicked = button(opened, words.erase).click();
    const dialog = await asked;
    expect(dialog.message()).toBe(words.eraseQuestion);
    await dialog.dismiss();
    await clicked;
  });
});
