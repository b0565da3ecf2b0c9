import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const PACKAGES = ['consent-client', 'consent-react', 'cli'];

let service: TestService;
/** A project of a customer, which has nothing of this checkout but the tarballs. */
let folder: string;
let tarballs: string[];

beforeAll(async () => {
  service = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'consent-customer-'));
  const workspaces = PACKAGES.flatMap((name) => ['--workspace', `@service/${name}`]);
  execFileSync('npm', ['pack', ...workspaces, '--pack-destination', folder], { stdio: 'pipe' });
  tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const { devDependencies } = JSON.parse(readFileSync('packages/consent-react/package.json', 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const react = Object.fromEntries(
    Object.entries(devDependencies).filter(([name]) => name.includes('react')),
  );
  const { version: typescript } = JSON.parse(
    readFileSync('node_modules/typescript/package.json', 'utf8'),
  ) as { version: string };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { ...react, typescript } }),
  );
  const install = ['install', ...tarballs.map((file) => `./${file}`), '--ignore-scripts', '--no-audit'];
  execFileSync('npm', [...install, '--no-fund', '--prefer-offline'], { cwd: folder, stdio: 'pipe' });
});

afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true });
});

/** Runs a program of the customer's project. Its environment has nothing of this checkout. */
function run(args: string[], environment: Record<string, string> = {}): string {
  return execFileSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...environment },
  });
}

const TSC = join('node_modules', 'typescript', 'bin', 'tsc');

/** The compiler's output for a file of the customer's, with the packages' own types checked too. */
function typeCheck(name: string, text: string): string {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    jsx: 'react-jsx',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [name] }));
  writeFileSync(join(folder, name), text);
  try {
    return run([TSC, '-p', '.']);
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe('the packed packages', () => {
  it('contain their build, README and LICENSE, and nothing else', () => {
    expect(tarballs).toHaveLength(PACKAGES.length);
    for (const name of PACKAGES) {
      const root = join(folder, 'node_modules', '@service', name);
      expect(readdirSync(root).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
      const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
      expect(files.filter((file) => /spec|example|\.tsx?$/.test(file) && !file.endsWith('.d.ts'))).toEqual(
        [],
      );
      expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
    }
  });

  it("have the loader's own types", () => {
    const packed = join(folder, 'node_modules', '@service', 'consent-client', 'dist', 'globals.d.ts');
    expect(readFileSync(packed, 'utf8')).toBe(readFileSync('loader/service-consent.d.ts', 'utf8'));
  });

  it('add no package but themselves, and what the command line names', () => {
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dependencies?: object }>;
    };
    const dependencies = PACKAGES.map((name) => lock.packages[`node_modules/@service/${name}`]?.dependencies);
    const client = { '@service/consent-client': expect.any(String) };
    const ofCli = { ajv: '8.20.0', 'ajv-formats': '3.0.1', commander: '15.1.0' };
    expect(dependencies).toEqual([undefined, client, ofCli]);
  });
});

describe('a project that has installed them', () => {
  it('type-checks what they offer, and nothing else', () => {
    const page = `
      import { allowCategory, type ConsentChoice, readGrants, submitChoice, watchGrants } from '@service/consent-client';
      import { readChoice } from '@service/consent-client/server';
      import { client, projectRead } from '@service/consent-client/api';
      import { ConsentFrame, ConsentProvider, useConsent } from '@service/consent-react';

      const stop: () => void = watchGrants(() => readGrants()?.marketing);
      const choice: ConsentChoice | null | undefined = window.serviceConsent?.choice;
      document.addEventListener('serviceMeta:ready', ({ detail }) => detail.tier.trim());
      export async function act(): Promise<string | null> {
        stop();
        await submitChoice({ analytics: true, surface: 'banner', shop: 'a' });
        client.setConfig({ baseUrl: 'https://consent.example.com' });
        const { data } = await projectRead({ path: { projectId: choice?.id ?? '' } });
        return (await allowCategory('marketing')).id ?? data.name;
      }
      export function App({ cookie }: { cookie: string | undefined }) {
        return (
          <ConsentProvider choice={readChoice(cookie)}>
            {useConsent('analytics') && 'counted'}
            <ConsentFrame category="marketing" src="/video" title="Video" loading="lazy" />
          </ConsentProvider>
        );
      }
      // @ts-expect-error -- there is no such category
      useConsent('advertising');
      // @ts-expect-error -- a frame has a title
      <ConsentFrame category="marketing" src="/video" />;
      // @ts-expect-error -- flags are booleans
      void submitChoice({ analytics: 'yes' });
      // @ts-expect-error -- a choice is read-only
      if (choice) choice.analytics = true;`;
    expect(typeCheck('page.tsx', page)).toBe('');
  });

  it('renders on a server and reads the choice there', () => {
    const server = `
      import { createElement } from 'react';
      import { renderToString } from 'react-dom/server';
      import { readChoice } from '@service/consent-client/server';
      import { ConsentFrame, ConsentProvider } from '@service/consent-react';
      const frame = createElement(ConsentFrame, { category: 'marketing', src: '/video', title: 'A "video"' });
      for (const cookie of [undefined, 'service-consent=v1.010.1764000000.1', 'service-consent=v1.100.1764000000.1'])
        console.log(renderToString(createElement(ConsentProvider, { choice: readChoice(cookie) }, frame)));`;
    writeFileSync(join(folder, 'server.mjs'), server);
    const [without, granted, refused] = run(['server.mjs']).trim().split('\n');
    expect(granted).toBe('<iframe src="/video" title="A &quot;video&quot;"></iframe>');
    for (const html of [without, refused]) {
      expect(html).toMatch(/A &quot;video&quot;<\/b>This content needs your consent to “Marketing”/);
      expect(html).toContain('>Allow Marketing</button>');
      expect(html).not.toContain('iframe');
    }
  });

  it('calls the API, and throws errors with status, code and the id of the request', async () => {
    const project = await createTestProject(service);
    const script = `
      import { ApiError, client, consentList, projectRead } from '@service/consent-client/api';
      client.setConfig({ baseUrl: process.env.API, auth: () => process.env.KEY });
      const path = { projectId: process.env.PROJECT };
      const { data } = await projectRead({ path });
      const list = async () => await consentList({ path, query: { limit: 0 } });
      const refused = await list().catch((error) => error);
      const { status, code, requestId, stack } = refused;
      const kinds = [refused instanceof ApiError, refused instanceof Error, stack.includes('at async list')];
      console.log(JSON.stringify({ id: data.id, status, code, requestId, kinds }));`;
    writeFileSync(join(folder, 'call.mjs'), script);
    const environment = { API: service.baseUrl, KEY: project.keys.viewer, PROJECT: project.id };
    // Not in the way of the service, which runs in this process.
    const output = await new Promise<string>((resolve, reject) =>
      execFile(
        process.execPath,
        ['call.mjs'],
        { cwd: folder, env: { PATH: process.env['PATH'], ...environment } },
        (error, stdout) => (error ? reject(error) : resolve(stdout)),
      ),
    );
    expect(JSON.parse(output)).toEqual({
      id: project.id,
      status: 422,
      code: 'validation_failed',
      requestId: expect.stringMatching(/^.+$/),
      kinds: [true, true, true],
    });
  });
});

describe('the workflow of docs/samples', () => {
  interface Step {
    if?: string;
    run?: string;
  }
  const { jobs } = load(readFileSync('docs/samples/consent-workflow.yml', 'utf8')) as {
    jobs: { consent: { steps: Step[] } };
  };

  /** Runs its commands as a runner does, in a checkout with the packed files in tools/. */
  async function runSteps(
    event: 'pull_request' | 'push',
    environment: Record<string, string>,
  ): Promise<string> {
    const checkout = mkdtempSync(join(folder, 'checkout-'));
    mkdirSync(join(checkout, 'tools'));
    for (const file of tarballs) copyFileSync(join(folder, file), join(checkout, 'tools', file));
    cpSync(join(folder, 'consent'), join(checkout, 'consent'), { recursive: true });
    const prefix = join(checkout, 'global');
    const env = {
      HOME: process.env['HOME'],
      npm_config_prefix: prefix,
      npm_config_prefer_offline: 'true',
      PATH: `${join(prefix, 'bin')}:${dirname(process.execPath)}:${process.env['PATH']}`,
      GITHUB_SHA: '0123abc',
      ...environment,
    };
    const output: string[] = [];
    for (const { if: condition, run: command } of jobs.consent.steps) {
      if (command === undefined || (condition !== undefined && !condition.includes(`'${event}'`))) continue;
      const { stdout } = await promisify(execFile)('bash', ['-e', '-c', command], { cwd: checkout, env });
      output.push(stdout);
    }
    return output.join('');
  }

  it('shows the plan of a pull request, and applies the main branch', async () => {
    const project = await createTestProject(service, { name: 'Shop' });
    const environment = { CONSENT_URL: service.baseUrl, CONSENT_API_KEY: project.keys.owner };
    const cli = join('node_modules', '@service', 'cli', 'dist', 'main.js');
    await promisify(execFile)(process.execPath, [cli, 'pull'], { cwd: folder, env: { ...environment } });
    const file = join(folder, 'consent', 'shop', 'configuration.json');
    const content = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...content, policyVersion: '2027-01' }));
    const policyVersion = async (): Promise<unknown> =>
      ((await (await project.request('viewer', 'GET', '/configuration')).json()) as { policyVersion: string })
        .policyVersion;
    expect(await runSteps('pull_request', environment)).toContain('policyVersion: 1 → 2027-01');
    expect(await policyVersion()).toBe('1');
    expect(await runSteps('push', environment)).toContain('Changed 1 project.');
    expect(await policyVersion()).toBe('2027-01');
  });
});
