import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { signUpIn } from '../support/people/person.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';
import { PASSWORD } from '../support/people/user.js';

/** The compared properties of an element. */
interface Box {
  scrollWidth: number;
  clientWidth: number;
}

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await made.json()) as { id: string }).id;
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe('the first sight of a page', () => {
  /** Half a second after the heading is there, which the page's polls follow: by the clock of the browser. */
  const shown: { listener: () => void } = { listener: () => {} };

  beforeAll(async () => {
    await page.exposeFunction('noteShown', () => shown.listener());
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector('h1')) return;
      observer.disconnect();
      setTimeout(() => noteShown(), 500);
    }).observe(document, { childList: true, subtree: true })`);
  });

  it.each([
    ['', 'Overview'],
    ['/consents', 'Consents'],
  ])('asks for all that it needs at once, and for nothing twice: %s', async (path, title) => {
    const requests: Request[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request));
    page.on('console', (message) => complaints.push(message.text()));
    const first = new Promise<Request[]>((done) => {
      shown.listener = () => done([...requests]);
    });
    const answer = await page.goto(`${service.baseUrl}/projects/${projectId}${path}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    const html = (await answer?.text()) ?? '';
    const paths = (await first).map((request) => new URL(request.url()).pathname);
    const scripts = paths.filter((each) => each.endsWith('.js'));
    // The page named them all; only what opens later (a record's details, the chart, the banner of a new project) may follow.
    const unnamed = scripts.filter((script) => !html.includes(`"${script}"`));
    expect(
      unnamed.filter(
        (script) => !/consent-details|evidence|privacy|banner-sample|chart|shared|^\/cdn\//.test(script),
      ),
    ).toEqual([]);
    expect(scripts).toEqual([...new Set(scripts)]);
    // An address that differs from the page's own request would be requested beside it, and never used.
    const unused = await page.evaluate('[...firstResponses.keys()]');
    expect(unused).toEqual([]);
    const read = paths.filter((each) => each.startsWith('/v1/'));
    expect(read.length).toBeGreaterThan(4);
    expect(read).toEqual([...new Set(read)]);
    expect(complaints).toEqual([]);
    page.removeAllListeners();
  });
});

describe('who reads German', () => {
  let german: BrowserContext;
  let seite: Page;

  beforeAll(async () => {
    const storageState = await context.storageState();
    german = await browser.newContext({ locale: 'de-AT', storageState, reducedMotion: 'reduce' });
    seite = await german.newPage();
  });

  afterAll(() => german?.close());

  it('is told in German what is wrong with a field', async () => {
    await seite.goto(`${service.baseUrl}/new-project`);
    await seite.getByLabel('Name').fill('x'.repeat(200));
    await seite.keyboard.press('Enter');
    await seite.getByText('1 bis 120 Zeichen, ohne Steuerzeichen.').waitFor();
    await seite.getByLabel('Name').fill('Teeladen');
    await seite.getByRole('textbox', { name: 'Domains' }).fill('www.example.com\nshop..example');
    await seite.locator('button[type=submit]').click();
    await seite.getByText(/^shop\.\.example: Geben Sie einen Hostnamen wie www\.example\.com ein/).waitFor();
    await seite.goto(`${service.baseUrl}/account`);
    const password = seite.locator('form').filter({ has: seite.locator('input[autocomplete=new-password]') });
    await password.locator('input[autocomplete=current-password]').fill('wrong');
    await password.locator('input[autocomplete=new-password]').fill('another password');
    await password.locator('button[type=submit]').click();
    await seite.getByText('E-Mail oder Passwort ist falsch.').waitFor();
  });

  it('is told so of the endpoint, too', async () => {
    await german.request.post(`${service.baseUrl}/v1/projects/${projectId}/tier/simulate`, {
      data: { tier: 'pro' },
    });
    await seite.goto(`${service.baseUrl}/projects/${projectId}/settings/consent/records-and-archive`);
    await seite.getByLabel('Endpunkt-URL').fill('http://consents.example.com');
    await seite.getByRole('button', { name: 'Speichern' }).click();
    await seite.getByText('Die Endpunkt-URL muss mit https:// beginnen.').waitFor();
  });

  it('is told why the endpoint cannot be reached', async () => {
    await seite.getByLabel('Endpunkt-URL').fill('https://consents.example.com');
    await seite.getByRole('radio', { name: 'Keine Authentifizierung' }).check();
    await seite.getByRole('button', { name: 'Speichern' }).click();
    await seite.getByRole('button', { name: 'Testen' }).click();
    await seite.getByText(/^(Hostname nicht gefunden|Keine Verbindung|Zu langsam)\.$/).waitFor();
  });
});

describe('the address of a page', () => {
  it.each([['/analytics?days=7', { '7 days': '7' }]] as [string, Record<string, string>][])(
    'holds what is chosen, over a reload too: %s',
    async (path, chosen) => {
      await page.goto(`${service.baseUrl}/projects/${projectId}${path}`);
      for (const reloaded of [false, true]) {
        if (reloaded) await page.reload();
        for (const [label, value] of Object.entries(chosen)) {
          const control = page.getByLabel(label, { exact: true });
          await control.waitFor({ state: 'attached' });
          expect([label, await control.inputValue()]).toEqual([label, value]);
        }
        expect(page.url()).toBe(`${service.baseUrl}/projects/${projectId}${path}`);
      }
      const days = page.getByRole('radio', { name: '7 days' });
      if (path.startsWith('/analytics')) expect(await days.isChecked()).toBe(true);
    },
  );

  it.each([
    [
      '/consents?from=2026-11-01&to=2026-11-20&action=custom&hostname=www.example.com&analytics=true&delivery=failed',
      [
        'Nov 1 – 20, 2026',
        'Choice: Customized',
        'Analytics: Granted',
        'Host: www.example.com',
        'Delivery: Failed',
      ],
      'delivery',
    ],
    [
      '/deliveries?status=failed&category=dns&from=2026-11-01',
      ['From Nov 1, 2026', 'Outcome: Failed', 'Failure reason: Hostname not found'],
      'category',
    ],
    [
      '/settings/audit?action=member.add&actorKind=user',
      ['What: Member added', 'Who: Any user'],
      'actorKind',
    ],
  ])('holds every filter as a chip, which a click removes: %s', async (path, chips, last) => {
    await page.goto(`${service.baseUrl}/projects/${projectId}${path}`);
    const shown = async (): Promise<string[]> =>
      (await page.locator('.filter-chip[data-set] > button:first-child').allTextContents()).map((text) =>
        // Dates have thin spaces.
        text.replaceAll(/\s/g, ' '),
      );
    for (const reloaded of [false, true]) {
      if (reloaded) await page.reload();
      await until('every chip is shown', async () => (await shown()).length === chips.length);
      expect(await shown()).toEqual(chips);
      expect(page.url()).toBe(`${service.baseUrl}/projects/${projectId}${path}`);
    }
    const removed = chips.at(-1) ?? '';
    await page.getByRole('button', { name: `Remove filter: ${removed}` }).click();
    await until('the last chip is gone', async () => !(await shown()).includes(removed));
    expect(new URL(page.url()).searchParams.has(last)).toBe(false);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL(({ search }) => search === '');
  });

  it('is changed by the form of a chip, which Escape closes', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/consents`);
    const chip = page.getByRole('button', { name: 'Category', exact: true });
    await chip.press('Enter');
    const marketing = page.getByRole('combobox', { name: 'Marketing', exact: true });
    await marketing.selectOption({ label: 'Denied' });
    await page.waitForURL(/\?marketing=false$/);
    await page.keyboard.press('Escape');
    await marketing.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Marketing: Denied', exact: true }).waitFor();
  });
});

describe('an address that is mistyped', () => {
  it('says so in the person’s words, and leads on', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/nowhere`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to home' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.goto(`${service.baseUrl}/nope`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    for (const path of ['accept-invitation?token=x', 'accept-invitation']) {
      await page.goto(`${service.baseUrl}/${path}`);
      await page.getByText('This link has expired or was already used.').waitFor();
    }
  });
});

describe('a form that lacks something', () => {
  it('says so below the field in our words, and goes on where it is filled in', async () => {
    await page.goto(`${service.baseUrl}/new-project`);
    await page.getByRole('button', { name: 'Create project' }).click();
    const field = page.locator('[data-field-message="Fill in this field."]');
    await field.waitFor();
    const name = page.getByRole('textbox', { name: 'Name' });
    expect(await name.getAttribute('aria-description')).toBe('Fill in this field.');
    expect(await name.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    expect(await pageFaults(page)).toEqual([]);
    await name.fill('Shop');
    await field.waitFor({ state: 'detached' });
  });
});

describe('a record that is opened and closed', () => {
  it('leaves Back to lead to the page before the list, and Account keeps the navigation', async () => {
    const made = await context.request.post(`${service.baseUrl}/v1/projects`, {
      data: { name: 'Back shop' },
    });
    const { id } = (await made.json()) as { id: string };
    await context.request.post(`${service.baseUrl}/v1/projects/${id}/consents`, {
      data: { analytics: true, marketing: false, preferences: true, action: 'custom' },
    });
    await page.goto(`${service.baseUrl}/projects/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.goto(`${service.baseUrl}/account`);
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    // By a click on the row, and by the link in it.
    for (const [list = '', opens = ''] of ['Consents', 'Audit log'].flatMap((name) => [
      [name, 'tbody tr'],
      [name, 'tbody tr a'],
    ])) {
      await navigation.getByRole('link', { name: list }).click();
      // The overview has rows too.
      await page.getByRole('heading', { level: 1, name: list }).waitFor();
      await page.locator(opens).first().click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(new URL(page.url()).search).toBe('');
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(page.url()).toBe(`${service.baseUrl}/projects/${id}`);
    }
  });
});

describe('a session that ends in one tab', () => {
  it('ends in the other too, which comes back to where it was', async () => {
    const path = `/projects/${projectId}/consents?action=custom`;
    await page.goto(`${service.baseUrl}${path}`);
    await page.getByText('No records match these filters.').waitFor();
    const other = await context.newPage();
    await other.goto(`${service.baseUrl}/account`);
    await other.getByRole('button', { name: /account menu/ }).press('Enter');
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The list polls once a second and gets the 401.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.locator('input[name=email]').fill('ada@example.com');
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Consents' }).waitFor();
    expect(page.url()).toBe(`${service.baseUrl}${path}`);
    // The way back leads past the form that has done its work.
    await page.goBack();
    expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
    await other.close();
  });
});

describe('a session that ends before something is saved', () => {
  /** Has the session end, asks for a save, and signs in beside the page that says so. */
  async function signInBeside(save: Locator): Promise<void> {
    await context.request.post(`${service.baseUrl}/v1/auth/sign-out`, { data: {} });
    // The first request gets the 401: a click, or the page's polling.
    await save.dispatchEvent('click');
    const [beside] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    await beside.locator('input[name=email]').fill('ada@example.com');
    await beside.locator('input[name=password]').fill(PASSWORD);
    await beside.keyboard.press('Enter');
    await beside.getByRole('heading', { level: 1, name: 'All projects' }).waitFor();
    await beside.close();
  }

  it('takes nothing of the banner along', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/banner`);
    await page.getByLabel('Title').first().fill('What may we do?');
    const save = page.getByRole('button', { name: 'Save draft' });
    await signInBeside(save);
    await save.click();
    await page.getByText('Draft saved. Visitors don’t see it until you publish.').waitFor();
    expect(await page.getByLabel('Title').first().inputValue()).toBe('What may we do?');
    await page.getByRole('link', { name: 'Consents' }).click();
    await page.getByRole('heading', { name: 'Consents' }).waitFor();
  });

  it('takes nothing along that was typed into a form', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/settings/privacy`);
    const field = page.getByLabel('Additional field');
    await field.fill('customerId');
    const save = page.getByRole('button', { name: 'Save changes', exact: true });
    await signInBeside(save);
    expect(await field.inputValue()).toBe('customerId');
    await save.click();
    await page.getByText('Saved').waitFor();
  });

  it('leads to signing in where she leaves what she has typed', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/settings/privacy`);
    await page.getByLabel('Additional field').fill('customer');
    await context.request.post(`${service.baseUrl}/v1/auth/sign-out`, { data: {} });
    await page.getByRole('button', { name: 'Save changes', exact: true }).dispatchEvent('click');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.locator('input[name=email]').fill('ada@example.com');
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Additional field').waitFor();
    expect(await page.getByLabel('Additional field').inputValue()).toBe('customerId');
  });
});

describe('somebody in a second tab', () => {
  const saved = async (path: string): Promise<object> =>
    (await (
      await context.request.get(`${service.baseUrl}/v1/projects/${projectId}${path}`)
    ).json()) as object;
  const save = () => page.getByRole('button', { name: 'Save changes', exact: true }).click();

  it('is told that another has changed the project meanwhile, and changes nothing', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/settings/project`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    await context.request.patch(`${service.baseUrl}/v1/projects/${projectId}`, {
      data: { domains: ['www.example.com'] },
    });
    await name.fill('Coffee shop');
    await save();
    await page.getByText('Someone else changed this. Reload the page.').waitFor();
    expect(await saved('')).toMatchObject({ name: 'Tea shop', domains: ['www.example.com'] });
    await page.reload();
    // Each save is based on the one before.
    for (const text of ['Coffee shop', 'Tea shop']) {
      await name.fill(text);
      await save();
      await until(`saved as ${text}`, async () => ((await saved('')) as { name: string }).name === text);
    }
    await page.getByRole('textbox', { name: 'Controller', exact: true }).fill(' Tea Ltd ');
    await page.getByRole('textbox', { name: 'Controller contact' }).fill('tea@example.com');
    await save();
    const named = async (): Promise<string | null> =>
      ((await saved('')) as { controllerContact: string | null }).controllerContact;
    await until('the controller is saved', async () => (await named()) === 'tea@example.com');
    expect(await saved('')).toMatchObject({ controllerName: 'Tea Ltd' });
    await page.getByRole('textbox', { name: 'Controller contact' }).fill('');
    await save();
    await until('the contact is removed', async () => (await named()) === null);
  });

  it('does not switch on again what another has switched off', async () => {
    const [address, forwarding] = ['', '/forwarding'].map(
      (path) => `${service.baseUrl}/v1/projects/${projectId}${path}`,
    );
    await context.request.post(`${address}/tier/simulate`, { data: { tier: 'pro' } });
    const settings = { endpointUrl: 'https://consents.example.com', authMode: 'none' };
    await context.request.put(`${forwarding}`, { data: { ...settings, enabled: true } });
    await page.goto(`${service.baseUrl}/projects/${projectId}/settings/consent/records-and-archive`);
    await page.getByRole('switch', { name: 'Consent forwarding enabled' }).waitFor();
    await context.request.put(`${forwarding}`, { data: { ...settings, enabled: false } });
    await save();
    await page.getByText('Someone else changed this. Reload the page.').waitFor();
    expect(await saved('/forwarding')).toMatchObject({ enabled: false });
    await page.reload();
    await page.getByLabel('Endpoint URL').fill('https://archive.example.com');
    await save();
    await until(
      'saved',
      async () =>
        ((await saved('/forwarding')) as { endpointUrl: string }).endpointUrl ===
        'https://archive.example.com',
    );
  });

  it('does not have values kept again that another wants hashed', async () => {
    const naming = { visitorReferenceField: 'customerId', visitorReferenceHashed: false };
    const address = `${service.baseUrl}/v1/projects/${projectId}/privacy`;
    await context.request.put(address, { data: naming });
    await page.goto(`${service.baseUrl}/projects/${projectId}/settings/privacy`);
    const field = page.getByLabel('Additional field');
    await field.waitFor();
    await context.request.put(address, { data: { ...naming, visitorReferenceHashed: true } });
    await field.fill('memberId');
    await save();
    await page.getByText('Someone else changed this. Reload the page.').waitFor();
    expect(await saved('/privacy')).toMatchObject({ ...naming, visitorReferenceHashed: true });
    await page.reload();
    // Each save is based on the one before.
    for (const name of ['memberId', 'customerId']) {
      await field.fill(name);
      await save();
      await until(
        `saved as ${name}`,
        async () =>
          ((await saved('/privacy')) as { visitorReferenceField: string }).visitorReferenceField === name,
      );
    }
  });
});

describe('a page', () => {
  it('says so where no script may run', async () => {
    const html = await (await fetch(`${service.baseUrl}/sign-in`)).text();
    const [, said = ''] = /<noscript>(.*?)<\/noscript>/s.exec(html) ?? [];
    expect(said.match(/[^<>]+(?=<\/p>)/g)).toEqual([
      'This dashboard needs JavaScript.',
      'Dieses Dashboard braucht JavaScript.',
    ]);
  });

  it('is printed without what stands around it, and as wide as the paper', async () => {
    await context.request.post(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
      data: {
        analytics: true,
        marketing: false,
        preferences: true,
        action: 'custom',
        hostname: 'www.example.com',
      },
    });
    await page.goto(`${service.baseUrl}/projects/${projectId}/consents`);
    await page.getByRole('cell', { name: 'www.example.com' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    // A4, less its margins.
    await page.setViewportSize({ width: 718, height: 1000 });
    expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
    const box = async (selector: string) =>
      (await page.locator(selector).boundingBox()) ?? { x: -1, width: 0 };
    expect((await box('h1')).x).toBeLessThan(40);
    const { x, width } = await box('.rows table');
    expect(x + width).toBeLessThanOrEqual(718);

    // A record that lies over its list is printed instead of it, all of it.
    await page.emulateMedia({ media: null });
    await page.getByRole('cell', { name: 'www.example.com' }).click();
    const record = page.getByRole('dialog');
    await record.getByText('www.example.com').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('h1').isVisible()).toBe(false);
    const paper = await record.evaluate((element) => {
      const { scrollHeight, clientHeight } = element as unknown as {
        scrollHeight: number;
        clientHeight: number;
      };
      return { isCut: scrollHeight > clientHeight };
    });
    expect(paper).toEqual({ isCut: false });
    // It may still be sliding in.
    await until('it begins at the edge', async () => (await record.boundingBox())?.x === 0);
    const printed = (await record.boundingBox()) ?? { x: -1, width: 0 };
    // Less a bar to scroll by, which paper has not.
    expect(printed.width).toBeGreaterThan(718 - 20);
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('is no wider than its window, whatever its project, people and records are called', async () => {
    const long = 'x'.repeat(120);
    const post = async (path: string, data: object) =>
      (await (await context.request.post(`${service.baseUrl}/v1/projects${path}`, { data })).json()) as {
        id: string;
      };
    const { id } = await post('', { name: long });
    await post(`/${id}/consents`, {
      analytics: true,
      marketing: true,
      preferences: true,
      action: `a${'x'.repeat(63)}`,
      hostname: `${'x'.repeat(60)}.${'x'.repeat(60)}.example.com`,
    });
    await post(`/${id}/invitations`, {
      email: `${'x'.repeat(60)}@${'x'.repeat(60)}.example.com`,
      role: 'viewer',
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    const wider = async (of: Locator) => {
      const { scrollWidth, clientWidth } = await of.evaluate((element) => {
        const { scrollWidth: all, clientWidth: shown } = element as unknown as Box;
        return { scrollWidth: all, clientWidth: shown };
      });
      // Room is kept for a scroll bar.
      return Math.max(0, scrollWidth - clientWidth);
    };
    for (const path of ['', '/consents', '/settings/members']) {
      await page.goto(`${service.baseUrl}/projects/${id}${path}`);
      await page.locator('.rows').first().waitFor();
      for (const part of ['html', '.rows'])
        expect([path, part, await wider(page.locator(part).first())]).toEqual([path, part, 0]);
    }
    await page.getByRole('button', { name: `Project ${long}: switch project` }).click();
    expect(await wider(page.getByRole('listbox', { name: 'Find a project' }))).toBe(0);
    await page.setViewportSize({ width: 640, height: 400 });
    await page.goto(`${service.baseUrl}/projects/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await wider(page.locator('html'))).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('takes nothing for published that only the plan has published, and tells since when it is', async () => {
    const { id } = (await (
      await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Planned' } })
    ).json()) as { id: string };
    const project = `${service.baseUrl}/v1/projects/${id}`;
    await context.request.post(`${project}/tier/simulate`, { data: { tier: 'pro' } });
    await context.request.post(`${project}/consents`, {
      data: { analytics: true, marketing: false, preferences: true, action: 'custom' },
    });
    const configuration = async () =>
      (await (await context.request.get(`${project}/configuration`)).json()) as {
        lastPublication: object | null;
      };
    await until('published', async () => (await configuration()).lastPublication !== null);
    const step = page.locator('.set-up li').nth(1);
    await page.goto(`${service.baseUrl}/projects/${id}`);
    await page.locator('.set-up').getByText('Publish your banner').waitFor();
    expect(await step.getAttribute('data-done')).toBe('false');
    // A record came, but visitors see no banner.
    expect(await page.locator('.set-up li').nth(2).getAttribute('data-done')).toBe('false');
    await page.goto(`${service.baseUrl}/projects/${id}/install`);
    await page
      .getByText('Nothing is published yet, so visitors don’t see a banner. Publish your banner first.')
      .waitFor();
    await page.getByText(/^Latest record (now|\d+ seconds? ago)\.$/).waitFor();
    await context.request.put(`${project}/configuration`, { data: { banner: { enabled: true } } });
    await page.goto(`${service.baseUrl}/projects/${id}/banner`);
    await page.getByText(/^Live since [A-Z][a-z]{2} \d+, \d{4}/).waitFor();
    await page.goto(`${service.baseUrl}/projects/${id}/install`);
    await page.getByText(/^Installed\. Latest record (now|\d+ seconds? ago)\.$/).waitFor();
    await page.goto(`${service.baseUrl}/projects/${id}`);
    await page.locator('.set-up li[data-done=true]').nth(2).waitFor();
    expect(await step.getAttribute('data-done')).toBe('true');
  });

  it('does once what two quick Enters ask for', async () => {
    await page.goto(`${service.baseUrl}/new-project`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Twice');
    await name.evaluate((input) => {
      const { form } = input as unknown as { form: { requestSubmit(): void } };
      form.requestSubmit();
      form.requestSubmit();
    });
    await page.getByRole('button', { name: 'Project Twice: switch project' }).waitFor();
    const projects = await context.request.get(`${service.baseUrl}/v1/projects?limit=200`);
    const { items } = (await projects.json()) as { items: { name: string }[] };
    expect(items.filter((item) => item.name === 'Twice')).toHaveLength(1);
  });

  it('shows an id whole where it may not copy it', async () => {
    const plain = await context.newPage();
    await plain.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await plain.goto(`${service.baseUrl}/projects/${projectId}/consents`);
    const id = plain.getByRole('row').nth(1).getByRole('button');
    const whole = (await id.getAttribute('title'))?.split(' ')[0] ?? '';
    await id.click();
    await plain.getByRole('alert').getByText(whole).waitFor();
    await plain.close();
  });
});

describe('what the API says of a field', () => {
  it('has a code and its bounds beside the sentence', async () => {
    const answer = await context.request.post(`${service.baseUrl}/v1/auth/change-password`, {
      data: { currentPassword: PASSWORD, newPassword: 'short' },
    });
    expect(await answer.json()).toMatchObject({
      code: 'validation_failed',
      errors: [
        {
          field: 'newPassword',
          message: 'newPassword must be longer than or equal to 8 characters.',
          code: 'length',
          min: 8,
          max: 128,
        },
      ],
    });
  });
});
