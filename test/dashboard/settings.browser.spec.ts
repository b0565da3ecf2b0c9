import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { type FakeStripe, startFakeStripe, stripeEnvironment } from '../support/fakes/fake-stripe.js';
import { faultsInEachAppearance, pageFaults } from '../support/rules/page-faults.js';
import { linkMailedTo, signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { totpCode } from '../support/people/totp.js';
import { until } from '../support/until.js';
import { PASSWORD } from '../support/people/user.js';
import { makeVisitorKey } from '../support/people/visitor-key.js';

let service: LoneService;
let stripe: FakeStripe;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;
/** The other member, with a separate session. */
let bo: BrowserContext;

beforeAll(async () => {
  stripe = await startFakeStripe();
  service = await startLoneService(stripeEnvironment(stripe) as Record<string, string>);
  browser = await launchBrowser();
  context = await signedUp('ada@example.com', 'Ada');
  bo = await signedUp('bo@example.com', 'Bo');
  page = await context.newPage();
  const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await made.json()) as { id: string }).id;
  await api('POST', '/tier/simulate', { tier: 'business' });
});

afterEach(() => context?.setOffline(false));
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await stripe?.close();
});

/** A browser in which a new person has an account and is signed in. */
async function signedUp(email: string, name: string): Promise<BrowserContext> {
  const own = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
    acceptDownloads: true,
  });
  await signUpIn(own, service, { email, name });
  return own;
}

async function api(method: string, path: string, data?: object, as = context): Promise<unknown> {
  const response = await as.request.fetch(`${service.baseUrl}/v1/projects/${projectId}${path}`, {
    method,
    ...(data && { data }),
  });
  const text = await response.text();
  if (!response.ok()) throw new Error(`${method} ${path} answered ${response.status()}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Accepts the one invitation that Bo has. */
async function acceptAsBo(): Promise<void> {
  const own = `${service.baseUrl}/v1/me/invitations`;
  const { items } = (await (await bo.request.get(own)).json()) as { items: { id: string }[] };
  expect(items).toHaveLength(1);
  expect((await bo.request.post(`${own}/${items[0]?.id}/accept`)).status()).toBe(200);
}

const open = (path: string, of: Page = page) => of.goto(`${service.baseUrl}/projects/${projectId}${path}`);
const heading = (name: string, of: Page = page): Promise<void> =>
  of.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
/** Its name ends with the record's id. */
const recordDrawer = () => page.getByRole('dialog', { name: 'Consent record' });

/** Stores a record as a banner does; answers with its id. */
async function choose(fields: object = {}): Promise<string> {
  const data = { analytics: true, marketing: false, preferences: true, action: 'custom', ...fields };
  const stored = await context.request.post(`${service.baseUrl}/v1/projects/${projectId}/consents`, { data });
  expect(stored.status()).toBe(201);
  return ((await stored.json()) as { id: string }).id;
}

/** The demo's receiver, where it refuses requests. */
function forwardingTo404(): object {
  const credentials = readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8');
  const { receiverUrl } = JSON.parse(credentials) as { receiverUrl: string };
  return { endpointUrl: new URL('/status/404', receiverUrl).href, authMode: 'none' };
}

describe('API keys', () => {
  const listed = (name: string) => page.getByRole('row').filter({ hasText: name });
  const shownKey = (within: Pick<Page, 'getByLabel'> = page) =>
    within.getByLabel('API key', { exact: true }).textContent();
  const act = async (name: string, what: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).press('Enter');
    await page.getByRole('menuitem', { name: what, exact: true }).click();
  };
  const statusWith = async (key: string, path = ''): Promise<number> =>
    (
      await fetch(`${service.baseUrl}/v1/projects/${projectId}${path}`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).status;
  /** In UTC. */
  const today = (): string => new Date().toISOString().slice(0, 10);
  let key: string;

  it('are made by keyboard, limited and with an end, and shown this once', async () => {
    await open('/settings/api-keys');
    await heading('API keys');
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly report');
    await page.getByLabel('Role', { exact: true }).selectOption('editor');
    await page.getByLabel('Expires at the end of').fill('2099-12-31');
    await page.getByRole('checkbox', { name: 'Consents and analytics' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('textbox', { name: 'Name' }).press('Enter');
    await page.getByText('Copy the key “Nightly report” now').waitFor();
    key = (await shownKey()) ?? '';
    expect(key).toMatch(/^ck_/);
    expect(await pageFaults(page)).toEqual([]);
    const days = [today()];
    expect(await statusWith(key, '/consents')).toBe(200);
    expect(await statusWith(key, '/forwarding')).toBe(403);
    days.push(today());
    await page.reload();
    const row = listed('Nightly report');
    await row.getByText('Consents and analytics').waitFor();
    await row.locator(days.map((day) => `time[datetime="${day}"]`).join()).waitFor();
    expect(await page.getByLabel('API key', { exact: true }).count()).toBe(0);
  });

  it('say beside the field what is wrong', async () => {
    await page.getByRole('textbox', { name: 'Name' }).fill('Yesterday’s');
    // The browser's own check refuses earlier days; the page may have stayed open since.
    await page.getByLabel('Expires at the end of').evaluate((input) => input.removeAttribute('min'));
    await page.getByLabel('Expires at the end of').fill('2020-01-01');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByText('Must be in the future.').waitFor();
  });

  it('are renamed and replaced, while the secret before works on', async () => {
    await open('/settings/api-keys');
    await act('Nightly report', 'Rename');
    const renaming = dialog('Rename Nightly report');
    await renaming.getByRole('textbox', { name: 'Name' }).fill('Weekly report');
    await page.keyboard.press('Enter');
    await listed('Weekly report').waitFor();
    await act('Weekly report', 'Rotate');
    const rotation = dialog('Rotate Weekly report');
    await rotation.getByLabel('Old secret expires').selectOption('1');
    await rotation.getByRole('button', { name: 'Rotate', exact: true }).click();
    await rotation.getByText('The old secret works until').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    const another = (await shownKey(rotation)) ?? '';
    expect(another).not.toBe(key);
    expect(await Promise.all([key, another].map((each) => statusWith(each, '/consents')))).toEqual([
      200, 200,
    ]);
    await rotation.getByRole('button', { name: 'Close' }).last().click();
    key = another;
  });

  it('are revoked for good', async () => {
    await act('Weekly report', 'Revoke');
    await dialog('Revoke Weekly report').getByRole('button', { name: 'Revoke' }).click();
    await listed('Weekly report').getByText('Revoked', { exact: true }).waitFor();
    expect(await statusWith(key, '/consents')).toBe(401);
    expect(await page.getByRole('button', { name: 'Actions for Weekly report' }).count()).toBe(0);
  });
});

describe('members', () => {
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });

  it('accept their invitations in the dashboard, as members and as owners', async () => {
    await api('POST', '/members', { email: 'bo@example.com', role: 'editor' });
    const his = await bo.newPage();
    await his.goto(service.baseUrl);
    await heading('New project', his);
    const accept = his.getByRole('button', { name: 'Accept the invitation to Tea shop' });
    await accept.waitFor();
    expect(await pageFaults(his)).toEqual([]);
    await accept.click();
    await heading('Overview', his);
    await open('/settings/members');
    await page.getByLabel('Role of bo@example.com').selectOption('owner');
    await page.getByText('bo@example.com becomes an owner when they accept the invitation.').waitFor();
    expect(await page.getByLabel('Role of bo@example.com').inputValue()).toBe('editor');
    await his.getByRole('button', { name: 'Project Tea shop: switch project' }).click();
    await his.getByRole('option', { name: 'Invitations (1)' }).click();
    await heading('Account', his);
    await accept.click();
    await heading('Overview', his);
    expect(await api('GET', '/members')).toMatchObject({ items: [{}, { role: 'owner' }] });
    await his.close();
  });

  it('are asked about before keys go with a lower role', async () => {
    await api('POST', '/api-keys', { name: 'Bo’s key', role: 'editor' }, bo);
    await open('/settings/members');
    await row('bo@example.com').getByText('Off', { exact: true }).waitFor();
    await page.getByLabel('Role of bo@example.com').selectOption('viewer');
    const box = dialog('Change bo@example.com to Viewer');
    await box.getByText('Bo’s key').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await box.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Role of bo@example.com').selectOption('editor');
    const second = dialog('Change bo@example.com to Editor');
    await second.getByText('No API keys are affected.').waitFor();
    await second.getByRole('button', { name: 'Change to Editor' }).click();
    await until(
      'the list tells it',
      async () => (await page.getByLabel('Role of bo@example.com').inputValue()) === 'editor',
    );
  });

  it('need a second factor where the owner, who has one, asks for it', async () => {
    const policy = page.getByRole('switch', { name: 'Require 2FA for all members' });
    await policy.click();
    await page.getByText('Turn on 2FA for your own account first').waitFor();
    expect(await policy.isChecked()).toBe(false);
    const factor = (path: string, data: object) =>
      context.request.post(`${service.baseUrl}/v1/auth/second-factor${path}`, { data });
    const begun = (await (await factor('', { password: PASSWORD })).json()) as { totpUri: string };
    expect((await factor('/confirm', { code: totpCode(begun.totpUri) })).status()).toBeLessThan(300);
    await page.reload();
    await row('ada@example.com').getByText('On', { exact: true }).waitFor();
    await policy.click();
    await page.getByText('Saved').waitFor();
    const his = await bo.newPage();
    await open('', his);
    await his.getByText('This project requires 2FA').waitFor();
    await his.getByRole('link', { name: 'Set up your own 2FA' }).click();
    await heading('Account', his);
    await his.close();
    await policy.click();
    await until('it is off', async () => !(await policy.isChecked()));
  });

  it('that were invited are listed until the invitation is withdrawn, and its link ends with it', async () => {
    await open('/settings/members');
    await page.getByRole('textbox', { name: 'Email' }).fill('cy@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await row('cy@example.com').waitFor();
    const link = await linkMailedTo(service, 'cy@example.com', '/accept-invitation');
    const token = new URL(link).searchParams.get('token');
    const look = async (): Promise<number> =>
      (await context.request.post(`${service.baseUrl}/v1/auth/invitation`, { data: { token } })).status();
    expect(await look()).toBe(200);
    await page.getByRole('button', { name: 'Withdraw the invitation for cy@example.com' }).press('Enter');
    await row('cy@example.com').waitFor({ state: 'detached' });
    expect(await api('GET', '/invitations')).toMatchObject({ items: [] });
    expect(await look()).toBe(410);
  });

  it('leave by themselves', async () => {
    const his = await bo.newPage();
    await open('/settings/members', his);
    await his.getByText('Requires the Owner role.').first().waitFor();
    await his.getByRole('button', { name: 'Leave project' }).click();
    await his.getByRole('dialog').getByRole('button', { name: 'Leave project' }).click();
    await heading('New project', his);
    await his.close();
    await page.reload();
    await row('ada@example.com').waitFor();
    expect(await row('bo@example.com').count()).toBe(0);
    await api('POST', '/members', { email: 'bo@example.com', role: 'editor' });
    await acceptAsBo();
  });
});

describe('what was shown', () => {
  it('is said not to be known where the record tells no hash, or one that was never published', async () => {
    const unpublished = { configHash: 'a'.repeat(64), surface: 'banner' };
    const [without, unknown] = [await choose(), await choose(unpublished)];
    await open(`/consents?open=${without}`);
    await page.getByText('The banner didn’t report which configuration it showed.').waitFor();
    await open(`/consents?open=${unknown}`);
    await page.getByText('Unknown configuration.').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    for (const id of [without, unknown]) await api('DELETE', `/consents/${id}`, { reason: 'A test' });
  });
});

describe('what was shown on the second layer', () => {
  it('has the choice of the record', async () => {
    type Configuration = { texts: object[]; services: object[]; banner: object };
    const { texts, services, banner } = (await api('GET', '/configuration')) as Configuration;
    const wanted = { texts, services, banner: { ...banner, enabled: true }, comment: 'Ours' };
    await api('PUT', '/configuration', wanted);
    const configHash = await until('it is published', async () => {
      const { items } = (await api('GET', '/publications')) as {
        items: { configHash: string; comment: string | null }[];
      };
      return items.find(({ comment }) => comment === 'Ours')?.configHash;
    });
    const choice = { analytics: false, marketing: true, preferences: false };
    const id = await choose({ ...choice, configHash, surface: 'preferences', language: 'en' });
    await open(`/consents?open=${id}`);
    const frame = page.frameLocator('iframe[title="Banner preview"]');
    const box = (category: string) => frame.locator(`input[type=checkbox][value=${category}]`);
    await box('marketing').waitFor({ state: 'attached' });
    for (const [category, isOn] of Object.entries(choice))
      expect([category, await box(category).isChecked()]).toEqual([category, isOn]);
    await api('DELETE', `/consents/${id}`, { reason: 'A test' });
  });
});

describe('the banner’s page', () => {
  // The preview of the rules is in an open rule.
  it.each(['texts', 'offer', 'look', 'rules&rule=other'])(
    'has nothing that axe finds under %s, in the banner’s own frame too',
    async (part) => {
      await open(`/banner?part=${part}`);
      const accept = page
        .frameLocator('iframe[title="Banner preview"]')
        .getByRole('button', { name: 'Accept all' });
      await accept.waitFor();
      const found = await faultsInEachAppearance(page, async () => {
        await accept.waitFor();
        const frame = page.frames().find((each) => each.url().endsWith('/preview-frame'));
        if (!frame) throw new Error('there is no frame');
        return pageFaults(frame);
      });
      expect(found).toEqual([]);
    },
  );

  it('turns the counting of visits off', async () => {
    await open('/banner?part=rules');
    // By keyboard, because content that loads beside it may move it away from the pointer.
    const counting = page.getByRole('switch', { name: 'Count page visits' });
    await counting.press('Space');
    expect(await counting.isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Review and publish' }).click();
    const box = dialog('Review and publish');
    await box
      .getByText('Count page visits')
      .waitFor()
      .catch(async (error: Error) => {
        throw new Error(`${error.message}; there is: ${await box.innerText()}`);
      });
    await box.getByRole('button', { name: 'Publish', exact: true }).click();
    await box.waitFor({ state: 'detached' });
    expect(await api('GET', '/configuration')).toMatchObject({ siteAnalytics: false });
  });
});

describe('visitors and privacy', () => {
  it('says first which field names a visitor', async () => {
    await open('/settings/privacy');
    await page.getByText('First choose below which field').waitFor();
    await page.getByRole('textbox', { name: 'Additional field' }).fill('no field!');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a valid field name.').waitFor();
    await page.getByRole('textbox', { name: 'Additional field' }).fill('customerId');
    await page.keyboard.press('Enter');
    await page.getByText('First choose below which field').waitFor({ state: 'detached' });
  });

  it('finds a visitor, gives the file out, and erases her records', async () => {
    for (const customerId of ['visitor-1', 'visitor-1', 'visitor-2']) await choose({ customerId });
    await page.getByText('Stored records are still gone through').waitFor({ state: 'detached' });
    const field = page.getByRole('textbox', { name: 'customerId' });
    await field.fill('visitor-3');
    await page.keyboard.press('Enter');
    await page.getByText('No records found for this visitor.').waitFor();
    await field.fill('visitor-1');
    await page.keyboard.press('Enter');
    await page.getByText('2 records').waitFor();
    expect(page.url()).not.toContain('visitor-1');
    expect(await pageFaults(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download for the visitor (JSON)' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^visitor-.*\.json$/);
    await page.getByRole('button', { name: 'Erase all records…' }).click();
    const box = dialog('Erase a visitor');
    await box.getByText('(2)').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await box.getByRole('textbox', { name: 'Reason' }).fill('Request of today');
    const erase = box.getByRole('button', { name: 'Erase permanently' });
    expect(await erase.isDisabled()).toBe(true);
    await box.getByRole('textbox', { name: 'Type “Tea shop” to confirm' }).fill('Tea shop');
    await page.keyboard.press('Enter');
    await page.getByText('2 records erased.').waitFor();
    await page.getByText('No records found for this visitor.').waitFor();
    const left = (await api('GET', '/consents')) as { items: { additionalFields: object }[] };
    expect(left.items.map(({ additionalFields }) => additionalFields)).toEqual([{ customerId: 'visitor-2' }]);
  });

  it('erases one record from its drawer, with a reason and the project’s name', async () => {
    const id = await choose();
    await open(`/consents?open=${id}`);
    const drawer = recordDrawer();
    await drawer.getByRole('button', { name: 'Erase…' }).click();
    await drawer.getByRole('button', { name: 'Erase this record…' }).click();
    const box = dialog('Erase this record');
    await box.getByRole('textbox', { name: 'Type “Tea shop” to confirm' }).fill('Tea shop');
    await box.getByRole('button', { name: 'Erase permanently' }).click();
    // Without a reason nothing goes.
    expect(
      await box.getByRole('textbox', { name: 'Reason' }).evaluate((input) => input.matches(':invalid')),
    ).toBe(true);
    await box.getByRole('textbox', { name: 'Reason' }).fill('Ticket 4711');
    await page.keyboard.press('Enter');
    await page.getByText('Record erased.').waitFor();
    await drawer.waitFor({ state: 'detached' });
    await page.getByText('1 result').waitFor();
  });

  it('erases all records of one device from one of them, where it had a key', async () => {
    const [hers, others] = [makeVisitorKey(), makeVisitorKey()];
    const [id] = [
      await choose({ visitorKeyHash: hers.visitorKeyHash }),
      await choose({ visitorKeyHash: hers.visitorKeyHash }),
    ];
    const kept = await choose({ visitorKeyHash: others.visitorKeyHash, note: 'kept' });
    const without = await choose();
    const ask = async (consentId: string) => {
      await open(`/consents?open=${consentId}`);
      const drawer = recordDrawer();
      await drawer.getByRole('button', { name: 'Erase…' }).click();
      const erase = drawer.getByRole('button', { name: 'Erase all from this device…' });
      await erase.waitFor();
      expect(await pageFaults(page)).toEqual([]);
      await erase.click();
      const box = dialog('Erase all records from this device');
      await box.getByRole('textbox', { name: 'Reason' }).fill('Ticket 4712');
      await box.getByRole('textbox', { name: 'Type “Tea shop” to confirm' }).fill('Tea shop');
      await page.keyboard.press('Enter');
      return { drawer, box };
    };
    const { box } = await ask(without);
    await box.getByText('This record was created without a visitor key').waitFor();
    const { drawer } = await ask(id);
    await drawer.getByText('2 records erased.').waitFor();
    const left = (await api('GET', '/consents')) as { items: { id: string }[] };
    expect(left.items.map((item) => item.id)).toEqual(expect.arrayContaining([kept, without]));
    expect(left.items.map((item) => item.id)).not.toContain(id);
    for (const consentId of [kept, without])
      await api('DELETE', `/consents/${consentId}`, { reason: 'A test' });
  });

  it('leaves erasing to owners', async () => {
    const his = await bo.newPage();
    await open('/settings/privacy', his);
    await his.getByRole('textbox', { name: 'customerId' }).fill('visitor-2');
    await his.keyboard.press('Enter');
    await his.getByText('1 record').waitFor();
    expect(await his.getByRole('button', { name: 'Erase all records…' }).isDisabled()).toBe(true);
    expect(await his.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await his.close();
  });
});

describe('records and analytics', () => {
  it('are exported exactly as the filters show them', async () => {
    const ids = [
      await choose({ hostname: 'www.example.com' }),
      await choose({ hostname: 'shop.example.com' }),
      await choose({
        hostname: 'www.example.com',
        action: 'reject_all',
        analytics: false,
        preferences: false,
      }),
    ];
    // On the one day of the record, which is wholly inside; on the next day the list is empty.
    const { receivedAt } = (await api('GET', `/consents/${ids[0]}`)) as { receivedAt: string };
    const dayOf = (later: number): Promise<string> =>
      page.evaluate(
        ([at, days]) => {
          const local = new Date(at);
          local.setDate(local.getDate() + days);
          return local.toLocaleDateString('sv');
        },
        [receivedAt, later] as const,
      );
    const onDay = (day: string): Promise<unknown> =>
      open(`/consents?hostname=www.example.com&analytics=true&from=${day}&to=${day}`);
    await onDay(await dayOf(1));
    await page.getByText('No records match these filters.').waitFor();
    await onDay(await dayOf(0));
    await page.getByText('1 result').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export CSV', exact: true }).click(),
    ]);
    const rows = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(rows.map((row) => row.slice(1, 37)).slice(1)).toEqual([ids[0]]);
    await page.getByRole('button', { name: 'Delivery', exact: true }).click();
    await page.getByRole('combobox', { name: 'Delivery', exact: true }).selectOption('delivered');
    await page.getByText('No records match these filters.').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [none] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export CSV', exact: true }).click(),
    ]);
    expect(
      readFileSync(await none.path(), 'utf8')
        .trim()
        .split('\r\n'),
    ).toHaveLength(1);
  });

  it('are the same in the picture and in the table', async () => {
    await open('/analytics?days=30');
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/days=7$/);
    await page.getByRole('region', { name: 'Rates over time' }).getByText('Show table').click();
    const days = page.getByRole('table', { name: 'By day (UTC)' });
    await until('a week is shown', async () => (await days.locator('tbody tr').count()) === 7);
    const today = await days.locator('tbody tr').first().locator('td').allTextContents();
    expect(today[0]).toMatch(/ \(so far\)$/);
    // Before the pointer is on it, the chart shows the running day, as with the pointer at its right edge.
    const picture = page.getByRole('img', { name: /^Opt-in, accept-all/ });
    const box = await picture.locator('.u-over').boundingBox();
    if (!box) throw new Error('there is no picture');
    for (const isOver of [false, true]) {
      if (isOver) await page.mouse.move(box.x + box.width - 2, box.y + 20);
      const shown = (await picture.locator('.u-legend .u-value').allTextContents()).map((text) =>
        text.trim(),
      );
      const [when, , optIn, , , , fullAccept, rejection, withdrawal] = today;
      expect(shown).toEqual([when, optIn, fullAccept, rejection, withdrawal]);
    }
    await page.getByRole('button', { name: 'Definitions' }).click();
    await page.getByRole('dialog', { name: 'Definitions' }).getByText('Choices', { exact: true }).waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('are compared with the same elapsed time, and exported as they are shown', async () => {
    await choose({ hostname: 'export.example.com' });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/analytics\/(consents|site)\?/.test(request.url())) asked.push(request.url());
    });
    await open('/analytics?days=7');
    const figures = page.getByRole('region', { name: 'Key figures' });
    const consents = figures.locator('.figure').filter({ has: page.getByText('Consents', { exact: true }) });
    const records = await consents.locator('.figure-value > span').first().textContent();
    const spans = asked.map((address) => {
      const { searchParams } = new URL(address);
      return [searchParams.get('from'), searchParams.get('to')].map((at) => Date.parse(at ?? ''));
    });
    const lengths = new Map<number, number>();
    for (const [from = 0, to = 0] of spans) lengths.set(to - from, (lengths.get(to - from) ?? 0) + 1);
    // Consents and visits until now, with consents before; and finished hours of visits with those before.
    expect([...lengths.values()].toSorted()).toEqual([2, 3]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('analytics-7-days.csv');
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    const column = lines[0]?.split(',').indexOf('"records"') ?? -1;
    expect(lines[1]?.split(',')[column]).toBe(`"${records}"`);
    expect(lines.filter((line) => line.startsWith('"hostname","export.example.com"'))).toHaveLength(1);
  });

  it('are listed by region and by language, beside the period before, in the bars and in the table', async () => {
    await choose({ region: 'US-CA', language: 'pt-BR' });
    await choose({ region: 'US-CA', language: 'de' });
    await choose({ region: 'Atlantis', language: 'de' });
    const storageState = await context.storageState();
    const other = await browser.newContext({ storageState, reducedMotion: 'reduce', colorScheme: 'dark' });
    const seen = await other.newPage();
    /**
     * Name, records and the previous period's records, from the bars of a section and from its
     * table.
     */
    const shown = async (title: string, of = seen): Promise<string[][]> => {
      const section = of.getByRole('region', { name: title, exact: true });
      await section.waitFor();
      const bars = await section.locator('.bars tbody tr').all();
      const picture = await Promise.all(
        bars.map(async (bar) => {
          const texts = await bar.locator('td').allTextContents();
          const [now, before] = await Promise.all(
            ['.bar', '.bar-before'].map(async (line) =>
              bar
                .locator(line)
                .evaluateAll((lines) => lines.map((each) => each.getBoundingClientRect().width)[0] ?? 0),
            ),
          );
          // Of two bars the longer one has more records.
          expect(Math.sign(Number(texts[1]) - Number(texts[2]))).toBe(
            Math.sign(Math.round(now ?? 0) - Math.round(before ?? 0)),
          );
          return texts;
        }),
      );
      await section.getByRole('button').click();
      const rows = await section.locator('.rows tbody tr').all();
      const table = await Promise.all(
        rows.map(async (row) => (await row.locator('td').allTextContents()).slice(0, 3)),
      );
      expect(picture).toEqual(table);
      return table;
    };
    await open('/analytics?days=1', seen);
    expect(await shown('By region')).toEqual([
      ['Unknown', expect.stringMatching(/^\d+$/), '0'],
      ['United States: CA', '2', '0'],
      ['Others', '1', '0'],
    ]);
    expect(await shown('By language')).toEqual(
      expect.arrayContaining([
        ['German (de)', '2', '0'],
        ['Brazilian Portuguese (pt-BR)', '1', '0'],
      ]),
    );
    await seen.setViewportSize({ width: 375, height: 800 });
    expect(await pageFaults(seen)).toEqual([]);
    // A day later, at the end of the next minute, the same records belong to the previous period.
    await seen.clock.setFixedTime(new Date(Date.now() + 24 * 3_600_000 + 60_000));
    await seen.reload();
    expect(await shown('By region')).toEqual(
      expect.arrayContaining([
        ['United States: CA', '0', '2'],
        ['Others', '0', '1'],
      ]),
    );
    await other.close();
    const german = await browser.newContext({ storageState, locale: 'de-DE', reducedMotion: 'reduce' });
    const seite = await german.newPage();
    await open('/analytics?days=1', seite);
    expect(await shown('Nach Region', seite)).toContainEqual(['Vereinigte Staaten: CA', '2', '0']);
    await german.close();
  });
});

describe('the overview', () => {
  it('shows the figures of the month, and of today at a click, each beside the same point before', async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const figures = (records: number) => ({
      from,
      to: from,
      records,
      asked: 2 * records,
      optInRate: records / 1_000,
    });
    const seen = await context.newPage();
    // On the first of a month both are the same; and nothing here was received before today.
    await seen.route('**/analytics/overview?*', (route) =>
      route.fulfill({
        json: {
          today: { now: figures(11), before: figures(12) },
          month: { now: figures(210), before: figures(220) },
        },
      }),
    );
    await open('', seen);
    const figureTexts = async () =>
      (await seen.getByRole('region', { name: 'Key figures' }).locator('.figure').allTextContents()).slice(
        0,
        2,
      );
    await seen.getByText('220 at this point last month').waitFor();
    expect(await figureTexts()).toEqual([
      'Consents210-4.5%220 at this point last month',
      'Opt-in rate21%-1 ppof 420 choices, one per device and day',
    ]);
    await seen.getByRole('radiogroup', { name: 'Period' }).getByText('Today').click();
    await seen.getByText('12 at this time yesterday').waitFor();
    expect(new URL(seen.url()).search).toBe('?period=today');
    await seen.reload();
    await seen.getByText('12 at this time yesterday').waitFor();
    expect(await figureTexts()).toEqual([
      'Consents11-8.3%12 at this time yesterday',
      'Opt-in rate1.1%-0.1 ppof 22 choices, one per device and day',
    ]);
    await seen.close();
  });

  it('draws the last 30 days, and lists the same days in a table', async () => {
    const seen = await context.newPage();
    await open('', seen);
    const section = seen.getByRole('region', { name: 'Consents per day' });
    const picture = section.getByRole('img', { name: /^Consents per day over the last 30 days/ });
    // Today is the last point.
    const plot = picture.locator('.u-over');
    const { width = 0 } = (await plot.boundingBox()) ?? {};
    const tip = section.locator('.chart-tip');
    await until('the tip shows', async () => {
      await plot.hover({ position: { x: width - 2, y: 20 } });
      return tip.isVisible();
    });
    const told = await tip.locator('b, .number').allTextContents();
    await section.getByRole('button', { name: 'Show table' }).click();
    const rows = section.getByRole('table').locator('tbody tr');
    expect(await rows.count()).toBe(30);
    const [day, all, optedIn, , daysBefore] = await rows.first().locator('td').allTextContents();
    expect(told).toEqual([day, all, optedIn, daysBefore]);
    expect(await pageFaults(seen)).toEqual([]);
    await section.getByRole('button', { name: 'Show chart' }).click();
    await picture.waitFor();
    await seen.close();
  });
});

/** How many tables are wider than their frame. */
const cutTables = (seen: Page): Promise<number> =>
  seen
    .locator('.rows')
    .evaluateAll((tables) => tables.filter((table) => table.scrollWidth > table.clientWidth).length);

describe('tables', () => {
  it('fit a window of 1280 px in German too', async () => {
    await api('POST', '/api-keys', {
      name: 'A key with quite a long name',
      role: 'owner',
      limitedTo: ['read'],
    });
    const storageState = await context.storageState();
    const german = await browser.newContext({
      locale: 'de-DE',
      storageState,
      reducedMotion: 'reduce' as const,
      viewport: { width: 1280, height: 800 },
    });
    const seite = await german.newPage();
    for (const path of [
      '',
      '/consents',
      '/analytics',
      '/settings/members',
      '/settings/api-keys',
      '/settings/audit',
    ]) {
      await open(path, seite);
      if (path === '/analytics') {
        const closed = seite.getByRole('button', { name: 'Tabelle anzeigen' });
        await closed.first().waitFor();
        while ((await closed.count()) > 0) await closed.first().click();
      }
      await seite.locator('.rows tbody tr').first().waitFor();
      expect([path, await cutTables(seite)]).toEqual([path, 0]);
    }
    await german.close();
  });
});

describe('a page on a phone', () => {
  it.each(['en-US', 'de-DE'])('cuts no table, %s', async (locale) => {
    const phone = await browser.newContext({
      locale,
      storageState: await context.storageState(),
      reducedMotion: 'reduce' as const,
      viewport: { width: 375, height: 720 },
    });
    const seen = await phone.newPage();
    for (const path of ['/settings/members', '/settings/api-keys', '/settings/audit', '/settings/plan']) {
      await open(path, seen);
      await seen.locator('.rows tbody tr').first().waitFor();
      expect([path, await cutTables(seen)]).toEqual([path, 0]);
    }
    await seen.goto(`${service.baseUrl}/account`);
    await seen.locator('.rows tbody tr').first().waitFor();
    expect(await cutTables(seen)).toBe(0);
    await seen.goto(`${service.baseUrl}/pricing`);
    expect(await seen.locator('.compare').evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0);
    expect(await pageFaults(seen)).toEqual([]);
    await phone.close();
  });

  it('shows one plan at a time', async () => {
    const phone = await context.newPage();
    await phone.setViewportSize({ width: 375, height: 720 });
    await open('/settings/plan', phone);
    const price = phone.getByRole('row', { name: /^Price/ });
    await phone.getByRole('radiogroup', { name: 'Plan', exact: true }).getByText('Lite').click();
    expect(await price.getByRole('cell').allTextContents()).toEqual(['$0']);
    await phone.getByRole('radiogroup', { name: 'Plan', exact: true }).getByText('Pro').click();
    expect(await price.getByRole('cell').allTextContents()).toEqual(['$7 per month']);
    expect(await pageFaults(phone)).toEqual([]);
    await phone.close();
  });
});

describe('an editor', () => {
  it('changes banner and forwarding, and is told what is an owner’s', async () => {
    const his = await bo.newPage();
    const needsOwner = his.getByText('Requires the Owner role.');
    await open('/settings/consent/records-and-archive', his);
    await his.getByLabel('Endpoint URL').fill('https://consents.example.com/hook');
    await his.getByRole('radio', { name: 'No auth' }).check();
    await his.getByRole('switch', { name: 'Notify the endpoint of erasures' }).press('Space');
    await his.getByRole('button', { name: 'Save' }).click();
    await his.getByText('Saved', { exact: true }).waitFor();
    expect(await needsOwner.count()).toBe(0);
    expect(await api('GET', '/forwarding')).toMatchObject({ forwardErasures: true, authMode: 'none' });
    await open('/banner', his);
    await his.getByRole('textbox', { name: 'Title' }).first().fill('Tea?');
    await his.getByRole('button', { name: 'Save draft' }).click();
    await his.getByText('Draft saved.').waitFor();
    await his.getByRole('button', { name: 'Discard draft' }).click();
    await his.getByText('Draft discarded.').waitFor();
    for (const [path, act] of [
      ['plan', 'Switch to Pro'],
      ['plan', 'Invoices and payment'],
      ['members', 'Invite'],
      ['api-keys', 'Create API key'],
      ['project', 'Delete project'],
    ]) {
      await open(`/settings/${path}`, his);
      await needsOwner.first().waitFor();
      expect([act, await his.getByRole('button', { name: act, exact: true }).isDisabled()]).toEqual([
        act,
        true,
      ]);
    }
    await his.close();
  });
});

describe('signatures', () => {
  it('end after a question that says what that means', async () => {
    await open('/settings/consent/records-and-archive');
    await page.getByRole('button', { name: 'Create signing secret' }).click();
    await page.getByText('Copy the secret to your receiver now').waitFor();
    const remove = page.getByRole('button', { name: 'Remove secret' });
    await remove.click();
    const box = dialog('Remove secret');
    await box.getByText('A receiver that verifies signatures will reject them').waitFor();
    await box.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Requests signed since').waitFor();
    await remove.click();
    await box.getByRole('button', { name: 'Remove secret' }).click();
    await page.getByText('Requests aren’t signed.').waitFor();
  });
});

describe('the plan', () => {
  it('is bought at the provider’s checkout, yearly too, where its invoices are then', async () => {
    const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Bakery' } });
    const { id } = (await made.json()) as { id: string };
    const open = async (): Promise<Page> => {
      const hers = await context.newPage();
      await hers.goto(`${service.baseUrl}/projects/${id}/settings/plan`);
      await hers.getByRole('article', { name: 'Pro' }).getByText('$7', { exact: true }).waitFor();
      return hers;
    };
    /** The provider's page does not exist here: only the redirect to it counts. */
    const leadsTo = async (hers: Page, act: string, host: string): Promise<void> => {
      const asked = hers.waitForRequest((request) => new URL(request.url()).host === host);
      await hers.getByRole('button', { name: act }).press('Enter');
      await asked;
      await hers.close();
    };
    const first = await open();
    await first.getByRole('rowheader', { name: 'Custom domains Not set up on this server' }).waitFor();
    await first.getByText('Custom domains (not set up on this server)').waitFor();
    await first.getByRole('article', { name: 'Pro' }).getByText('Recommended').waitFor();
    // It requires a contact.
    expect(await first.getByRole('columnheader', { name: 'Enterprise' }).count()).toBe(0);
    await first.getByRole('button', { name: 'Invoices and payment' }).click();
    await first.getByText('This project has no purchases').waitFor();
    await first.getByText('Yearly', { exact: true }).click();
    await first.getByRole('article', { name: 'Pro' }).getByText('$5', { exact: true }).waitFor();
    expect(await pageFaults(first)).toEqual([]);
    await leadsTo(first, 'Switch to Pro', 'checkout.stripe.example');
    expect(JSON.stringify([...stripe.sessions.values()])).toContain('price_pro_year');
    await leadsTo(await open(), 'Invoices and payment', 'portal.stripe.example');
    await context.request.delete(`${service.baseUrl}/v1/projects/${id}`);
  });
});

describe('the audit log', () => {
  const rows = () => page.locator('tbody tr:not([aria-hidden])');
  const filter = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    return page.getByRole('dialog', { name, exact: true }).getByLabel(name, { exact: true });
  };

  it('tells who changed what, from what to what', async () => {
    await open('/settings/audit');
    await heading('Audit log');
    await page.getByText('End of list').waitFor();
    await (await filter('What')).selectOption('member.change_role');
    await page.getByText('1 result').waitFor();
    expect(await rows().first().textContent()).toContain('ada@example.com');
    await rows().first().getByRole('link').focus();
    await page.keyboard.press('Enter');
    const drawer = dialog('Change');
    const changed = drawer.getByRole('row').filter({ hasText: 'Role' });
    await changed.getByRole('cell', { name: 'Owner' }).waitFor();
    await changed.getByRole('cell', { name: 'Editor' }).waitFor();
    await drawer.getByText('bo@example.com').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    // The address is enough to restore it, even if the list does not show it.
    const address = new URL(page.url());
    await page.goto(
      `${address.origin}${address.pathname}?open=${address.searchParams.get('open')}&action=tier.grant`,
    );
    await page.getByText('No changes match these filters.').waitFor();
    await changed.getByRole('cell', { name: 'Owner' }).waitFor();
    await drawer.getByRole('button', { name: 'Show only changes by ada@example.com' }).click();
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await (await filter('Who')).selectOption({ label: 'bo@example.com' });
    await until('Bo’s alone are shown', async () => {
      const who = await rows().locator('td:nth-child(2)').allTextContents();
      return who.length > 0 && who.every((name) => name === 'bo@example.com');
    });
  });

  it('is exported as the filters show it', async () => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('audit.csv');
    expect(new URL(file.url()).searchParams.get('actorId')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('says that the service is away, and goes on', async () => {
    await context.setOffline(true);
    await (await filter('What')).selectOption('member.leave');
    await page.getByText('The server isn’t responding.').waitFor({ timeout: 20_000 });
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 result').waitFor();
  });

  it('is an owner’s to read', async () => {
    const his = await bo.newPage();
    await open('/settings/audit', his);
    await his.getByText('Requires the Owner role.').waitFor();
    expect(await his.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true);
    expect(await pageFaults(his)).toEqual([]);
    await his.close();
  });
});

describe('deliveries', () => {
  it('are chosen by boxes, counted, and sent', async () => {
    // The demo's receiver refuses each.
    await api('PUT', '/forwarding', { ...forwardingTo404(), enabled: true });
    for (let i = 0; i < 3; i += 1) await choose({ hostname: 'shop.example.com' });
    await open('/deliveries?category=http_4xx');
    await until('three attempts are shown', async () => (await page.locator('tbody tr').count()) === 3);
    await page
      .getByRole('checkbox', { name: /^Select record/ })
      .first()
      .focus();
    await page.keyboard.press('Space');
    await page.getByText('1 record selected.').waitFor();
    await page.getByRole('checkbox', { name: 'Select all shown' }).click();
    await page.getByText('3 records selected.').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resend 3 records' }).click();
    const box = dialog('Resend 3 records');
    await box.getByText('3 records will be sent.').waitFor();
    await box.getByRole('button', { name: 'Resend 3 records' }).click();
    await page.getByText('3 records queued.').first().waitFor();
    await until('six attempts are shown', async () => (await page.locator('tbody tr').count()) === 6);
    // The button offers the filtered deliveries.
    await page.getByRole('button', { name: 'Resend in bulk…' }).click();
    const many = dialog('Resend in bulk…');
    expect(await many.getByLabel('Failure reason').inputValue()).toBe('http_4xx');
    await many.getByRole('button', { name: 'Count records' }).click();
    await many.getByText('3 records will be sent.').waitFor();
    await many.getByLabel('Failure reason').selectOption('dns');
    await many.getByRole('button', { name: 'Count records' }).click();
    await many.getByText('No records match.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('say “Send” where nothing was sent before', async () => {
    await api('PUT', '/forwarding', { ...forwardingTo404(), enabled: false });
    const id = await choose();
    await open(`/consents?open=${id}`);
    await recordDrawer().getByRole('button', { name: 'Send', exact: true }).waitFor();
  });
});

describe('the ownership', () => {
  it('is offered by typing the project’s name, and handed over once the other accepts', async () => {
    await open('/settings/members');
    await page.getByLabel('New owner').selectOption({ label: 'bo@example.com' });
    // Without a pointer, which would leave the color of a hovered button behind the dialog.
    await page.getByRole('button', { name: 'Transfer ownership' }).press('Enter');
    const box = dialog('Transfer ownership');
    await box.getByText('When they accept, you become an editor').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await box.getByRole('textbox', { name: 'Type “Tea shop” to confirm' }).fill('Tea shop');
    await page.keyboard.press('Enter');
    await page.getByText('bo@example.com was invited to become the owner.', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'Owner (transfer)' }).waitFor();
    await acceptAsBo();
    await page.reload();
    await page.getByText('Requires the Owner role.').first().waitFor();
  });
});
