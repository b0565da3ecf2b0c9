import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { linkMailedTo, signUpIn } from '../support/people/person.js';
import { PASSWORD } from '../support/people/user.js';
import { launchBrowser } from '../support/programs/browser.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { faultsInEachAppearance } from '../support/rules/page-faults.js';
import { until } from '../support/until.js';

const SCREENSHOTS = process.env['ORGANIZATIONS_SCREENSHOTS'];
const LAST_ADMIN = 'An organization needs at least one admin. Make another member an admin first.';

let service: LoneService;
let browser: Browser;
let ada: BrowserContext;
let bo: BrowserContext;
let page: Page;
let his: Page;
let teaShop: string;
let organization: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  [ada, bo] = [await signedUp('ada@example.com', 'Ada'), await signedUp('bo@example.com', 'Bo')];
  [page, his] = [await ada.newPage(), await bo.newPage()];
  teaShop = await createProject('Tea shop');
  await createProject('Leaf journal');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
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

async function createProject(name: string): Promise<string> {
  const data = { name, domains: [`${name.toLowerCase().replace(' ', '-')}.example`] };
  const created = await ada.request.post(`${service.baseUrl}/v1/projects`, { data });
  return ((await created.json()) as { id: string }).id;
}

/** A person's role on a project; null: they do not see it. */
async function roleOn(projectId: string, as: BrowserContext): Promise<string | null> {
  const read = await as.request.get(`${service.baseUrl}/v1/projects/${projectId}`);
  return read.ok() ? ((await read.json()) as { role: string }).role : null;
}

const heading = (name: string, of = page): Promise<void> =>
  of.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const button = (name: string, of: Page | Locator = page): Locator =>
  of.getByRole('button', { name, exact: true });
const row = (text: string): Locator => page.getByRole('row').filter({ hasText: text });
const inNavigation = (name: string, of = page): Locator =>
  of.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name, exact: true });
const openProject = (): Promise<unknown> =>
  page.goto(`${service.baseUrl}/projects/${teaShop}/settings/project`);

/** No faults in any appearance, and a picture of each where the environment names a folder for them. */
async function expectNoFaults(name: string, of = page): Promise<void> {
  let shot = 0;
  const picture = async (width: number): Promise<string[]> => {
    const scheme = shot++ % 2 === 0 ? 'light' : 'dark';
    if (SCREENSHOTS !== undefined)
      await of.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${scheme}.png`), fullPage: true });
    return [];
  };
  expect(await faultsInEachAppearance(of, picture)).toEqual([]);
}

describe('an organization in the dashboard', () => {
  it('is created from the list of all projects, and says what comes first', async () => {
    await page.goto(service.baseUrl);
    await heading('All projects');
    await expectNoFaults('all-projects');
    await page.getByRole('link', { name: 'New organization' }).click();
    await heading('New organization');
    await button('Create organization').click();
    await page.locator('[data-field-message="Fill in this field."]').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Studio Nord');
    await expectNoFaults('new-organization');
    await button('Create organization').click();
    await page.waitForURL(/\/organizations\/[\w-]+$/);
    organization = new URL(page.url()).pathname.split('/')[2] ?? '';
    await heading('Projects');
    await page.getByText('Studio Nord has no projects yet').waitFor();
    await page.getByText('No projects in this organization yet').waitFor();
    await expectNoFaults('no-projects');
  });

  it('has projects that are created in it', async () => {
    await page.getByRole('link', { name: 'New project' }).first().click();
    await heading('New project');
    const choice = page.getByLabel('Organization', { exact: true });
    await until('it is chosen', async () => (await choice.inputValue()) === organization);
    await page.getByRole('textbox', { name: 'Name' }).fill('Harbor wines');
    await expectNoFaults('new-project');
    await button('Create project').click();
    await heading('Overview');
    await button('Project Harbor wines: switch project').click();
    await page.getByRole('option', { name: 'Studio Nord' }).waitFor();
    await expectNoFaults('switcher');
    await page.getByRole('option', { name: 'Studio Nord' }).click();
    await page.getByText('1 project of Studio Nord').waitFor();
    await row('Harbor wines').waitFor();
    expect(await row('Tea shop').count()).toBe(0);
    await button('Organization Studio Nord: switch project').waitFor();
    await expectNoFaults('projects');
  });

  it('invites people, who accept by the mailed link', async () => {
    await inNavigation('Members').click();
    await heading('Members');
    const invite = async (email: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Email' }).fill(email);
      await button('Invite').click();
      await row(email).waitFor();
    };
    await invite('bo@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('Billing');
    await invite('cy@example.com');
    await row('bo@example.com').getByText('Member (Editor on all projects)').waitFor();
    await row('cy@example.com').getByText('Billing').waitFor();
    await expectNoFaults('members-invited');
    await button('Resend to bo@example.com').click();
    await page.getByText('Invitation sent to bo@example.com.').first().waitFor();
    await button('Withdraw the invitation for cy@example.com').click();
    await row('cy@example.com').waitFor({ state: 'detached' });

    await his.goto(await linkMailedTo(service, 'bo@example.com', '/accept-invitation'));
    await his
      .getByText('bo@example.com is invited to join Studio Nord. Role: Member (Editor on all projects).')
      .waitFor();
    await button('Accept', his).click();
    await heading('Projects', his);
    await his.getByRole('link', { name: 'Harbor wines' }).waitFor();
    await page.reload();
    await page.getByText('No pending invitations.').waitFor();
    await row('bo@example.com').waitFor();
    await expectNoFaults('members');
  });

  it('shows members what only admins can do, with the way to get it', async () => {
    await inNavigation('Members', his).click();
    await his.getByText('Requires the Admin role in the organization. Ask one of its admins.').waitFor();
    await his.getByText('Your role in this organization: Member (Editor on all projects).').waitFor();
    expect(await button('Invite', his).isDisabled()).toBe(true);
    await expectNoFaults('members-as-member', his);
    await inNavigation('Audit log', his).click();
    await his.getByText('Requires the Admin role in the organization.').waitFor();
  });

  it('changes roles, and asks before somebody loses permissions', async () => {
    const onProjects = page.getByLabel('Role of bo@example.com on all projects');
    await onProjects.selectOption('Viewer');
    const box = page.getByRole('dialog', { name: 'Change the role of bo@example.com' });
    await box.getByText('They lose permissions on the organization’s projects immediately.').waitFor();
    await expectNoFaults('change-role');
    await button('Change to Member (Viewer on all projects)', box).click();
    await box.waitFor({ state: 'detached' });
    await until('the list shows it', async () => (await onProjects.inputValue()) === 'viewer');
    await page.getByLabel('Role of bo@example.com', { exact: true }).selectOption('Admin');
    await page.getByText('bo@example.com becomes an admin when they accept the invitation.').waitFor();
    await button('Withdraw the invitation for bo@example.com').click();
    await page.getByText('No pending invitations.').waitFor();
  });

  it('keeps its last admin, and says why', async () => {
    await page.getByLabel('Role of ada@example.com', { exact: true }).selectOption('Member');
    const lower = page.getByRole('dialog', { name: 'Change the role of ada@example.com' });
    await button('Change to Member', lower).click();
    await lower.getByText(LAST_ADMIN).waitFor();
    await button('Cancel', lower).click();
    await button('Leave organization').click();
    const leave = page.getByRole('dialog', { name: 'Leave organization' });
    await button('Leave organization', leave).click();
    await leave.getByText(LAST_ADMIN).waitFor();
    await expectNoFaults('last-admin');
    await button('Cancel', leave).click();
  });
});

describe('a project', () => {
  it('moves into an organization, with the password after an old sign-in', async () => {
    await openProject();
    await page.getByText('This project belongs to no organization.').waitFor();
    expect(await roleOn(teaShop, bo)).toBe(null);
    await expectNoFaults('project-settings');
    // As the API refuses a session that is more than an hour old.
    await page.route('**/move', async (route) => {
      const { password } = route.request().postDataJSON() as { password?: string };
      if (password !== undefined) return route.fallback();
      const body = { code: 'recent_sign_in_required', status: 403, detail: 'Sign in again.' };
      return route.fulfill({ status: 403, json: body, contentType: 'application/problem+json' });
    });
    await button('Move project').click();
    const box = page.getByRole('dialog', { name: 'Move Tea shop' });
    await box.getByText('Admins of Studio Nord become owners of this project').waitFor();
    expect(await box.getByLabel('Move to').locator('option').allTextContents()).toEqual(['Studio Nord']);
    await button('Move project', box).click();
    await box.getByRole('textbox', { name: 'Password' }).fill('a wrong password');
    await expectNoFaults('move-in');
    await button('Move project', box).click();
    await box.getByText(/password is incorrect/).waitFor();
    await box.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await button('Move project', box).click();
    await page.getByRole('link', { name: 'This project belongs to Studio Nord.' }).waitFor();
    expect(await roleOn(teaShop, bo)).toBe('viewer');
  });

  it('says to an owner who is no admin who can move it', async () => {
    await his.goto(`${service.baseUrl}/projects/${teaShop}/settings/project`);
    await his.getByText('Move project: Requires the Owner role.').waitFor();
    expect(await button('Move project', his).isDisabled()).toBe(true);
    expect((await his.getByText('This project belongs to Studio Nord.').count()) > 0).toBe(true);
  });

  it('moves out again, and people lose what they had by the organization', async () => {
    await page.unroute('**/move');
    await button('Move project').click();
    const box = page.getByRole('dialog', { name: 'Move Tea shop' });
    await box.getByText('People who have access only through Studio Nord lose it').waitFor();
    await expectNoFaults('move-out');
    await button('Move project', box).click();
    await page.getByText('This project belongs to no organization.').waitFor();
    expect(await roleOn(teaShop, ada)).toBe('owner');
    expect(await roleOn(teaShop, bo)).toBe(null);
  });
});

describe('the organization', () => {
  it('has a log of its changes', async () => {
    await page.goto(`${service.baseUrl}/organizations/${organization}/audit`);
    await heading('Audit log');
    await row('Organization created').waitFor();
    expect(await row('Project moved').count()).toBe(2);
    await expectNoFaults('audit');
    await row('Project moved').first().getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Change' });
    const [from, to] = await drawer.locator('tbody td').allTextContents();
    expect([from, to]).toEqual(['Studio Nord', '–']);
    await drawer.getByText('Tea shop').waitFor();
    await expectNoFaults('change');
    await page.keyboard.press('Escape');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  });

  it('is renamed, and deleted once it has no projects', async () => {
    await inNavigation('Settings').click();
    await heading('Settings');
    await page.getByRole('textbox', { name: 'Name' }).fill('Studio Süd');
    await button('Save changes').click();
    await button('Organization Studio Süd: switch project').waitFor();
    await expectNoFaults('settings');
    const box = page.getByRole('dialog', { name: 'Delete organization' });
    const remove = async (): Promise<void> => {
      await button('Delete organization').click();
      await box.getByRole('textbox').fill('Studio Süd');
      await button('Delete organization', box).click();
    };
    await remove();
    await box.getByText('The organization has 1 project. Move or delete it first.').waitFor();
    await expectNoFaults('delete-refused');
    const { items } = (await (
      await ada.request.get(`${service.baseUrl}/v1/organizations/${organization}/projects`)
    ).json()) as { items: { id: string }[] };
    for (const { id } of items) await ada.request.delete(`${service.baseUrl}/v1/projects/${id}`);
    await page.reload();
    await remove();
    await heading('All projects');
    expect(await page.getByRole('link', { name: 'Studio Süd' }).count()).toBe(0);
  });

  it('is German for those who read German', async () => {
    const data = { name: 'Studio West' };
    const created = await ada.request.post(`${service.baseUrl}/v1/organizations`, { data });
    const { id } = (await created.json()) as { id: string };
    await page.evaluate("localStorage.setItem('language', 'de')");
    const pages = [
      ['/new-organization', 'Neue Organisation'],
      [`/organizations/${id}`, 'Projekte'],
      [`/organizations/${id}/members`, 'Mitglieder'],
      [`/organizations/${id}/settings`, 'Einstellungen'],
      [`/organizations/${id}/audit`, 'Änderungsprotokoll'],
      [`/projects/${teaShop}/settings/project`, 'Projekt'],
    ] as const;
    for (const [path, title] of pages) {
      await page.goto(service.baseUrl + path);
      await heading(title);
      await until('all is loaded', async () => (await page.locator('[aria-busy=true]').count()) === 0);
      await expectNoFaults(`german-${title}`);
    }
  });
});
