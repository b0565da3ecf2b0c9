import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  type Front,
  launchBrowser,
  type SitePage,
  startFront,
  startSite,
  type TestServer,
} from '../programs/browser.js';
import { createTestProject, type TestProject } from './project.js';
import { startTestService, type TestService } from '../programs/service.js';
import { until } from '../until.js';

/**
 * A customer's site with our loader in front of a service, in a browser. Every test has a separate
 * project.
 */
export class BannerSite {
  project!: TestProject;
  context!: BrowserContext;

  private constructor(
    readonly service: TestService,
    readonly browser: Browser,
    readonly front: Front,
    readonly pages: Record<string, SitePage>,
    private readonly server: TestServer,
  ) {}

  static async start(): Promise<BannerSite> {
    const pages: Record<string, SitePage> = {};
    const service = await startTestService({
      RUN_WORKER: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
      COUNTRY_HEADER: 'cf-ipcountry',
    });
    const [browser, front, server] = await Promise.all([
      launchBrowser(),
      startFront(service.baseUrl),
      startSite(pages),
    ]);
    return new BannerSite(service, browser, front, pages, server);
  }

  /** A new project of this tier and a new browser profile. */
  async begin(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    this.project = await createTestProject(this.service, { tier: 'business' });
    Object.assign(this.front, { country: null, region: null, away: false, refusal: null, requests: [] });
    this.context = await this.browser.newContext(options);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.close();
    await this.front.close();
    await this.service.close();
  }

  /** A page with the loader; `window.ran` gets what its scripts push. */
  page(body = '', { head = '', lang = 'en' } = {}): SitePage {
    const loader = `${this.front.url}/cdn/${this.project.id}/loader.js`;
    return {
      html: `<!doctype html><html lang="${lang}"><head><title>A shop</title>
        <script>window.ran = []; window.problems = [];
          addEventListener('error', (event) => problems.push(String(event.message)));
          addEventListener('unhandledrejection', (event) => problems.push(String(event.reason)));
        </script>${head}<script src="${loader}"></script></head>
        <body><main><h1>A shop</h1></main>${body}</body></html>`,
    };
  }

  /** Publishes this configuration with our banner. */
  async configure({
    banner = {},
    ...configuration
  }: {
    banner?: object;
    [field: string]: unknown;
  }): Promise<void> {
    const body = { banner: { enabled: true, ...banner }, ...configuration };
    const response = await this.project.request('editor', 'PUT', '/configuration', body);
    if (response.status !== 200) throw new Error(await response.text());
    const version = Number(/\d+/.exec(response.headers.get('etag') ?? '')?.[0]);
    await until('published', async () => {
      const view = (await (await this.project.request('viewer', 'GET', '/configuration')).json()) as {
        lastPublication: { configurationVersion: number } | null;
      };
      return view.lastPublication?.configurationVersion === version;
    });
  }

  /** The address of a page; every host name is this machine. */
  address(path: string, host = 'www.example.com'): string {
    return `http://${host}:${this.server.port}${path}`;
  }

  async open(path = '/', host?: string): Promise<Page> {
    const opened = await this.context.newPage();
    await opened.goto(this.address(path, host));
    return opened;
  }

  /** All records of the project, once there are `count`. */
  recorded(count: number): Promise<Record<string, unknown>[]> {
    return until('recorded', async () => {
      const all = await this.service.database.query(
        'select * from consent_record where project_id = $1 order by id',
        [this.project.id],
      );
      return all.length === count ? all : null;
    });
  }
}
