import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const run = promisify(execFile);

/** A program against the generated client; its types are part of the test. */
const PROGRAM = `
import { client } from './client/client.gen';
import { consentList, consentOne, consentRecord, forwardingRead, forwardingSave, projectRead } from './client/sdk.gen';
import type { ConsentResponse, ForwardingSettingsResponse, Problem } from './client/types.gen';

const { BASE_URL = '', API_KEY = '', PROJECT_ID: projectId = '' } = process.env;
client.setConfig({ baseUrl: BASE_URL, auth: API_KEY });

const stored = await consentRecord({
  path: { projectId },
  body: { analytics: true, marketing: false, preferences: true, action: 'custom', hostname: null },
});
const id: string = stored.data?.id ?? '';
const page = await consentList({ path: { projectId }, query: { action: 'custom', analytics: true, limit: 1 } });
const record: ConsentResponse | undefined = page.data?.items[0];
const one = await consentOne({ path: { projectId, consentId: id } });
const project = await projectRead({ path: { projectId } });
const settings: ForwardingSettingsResponse | undefined = (await forwardingRead({ path: { projectId } })).data;
const saved = await forwardingSave({
  path: { projectId },
  body: { enabled: false, endpointUrl: null, authMode: 'none' },
});
const missing = await consentOne({ path: { projectId, consentId: projectId } });
const problem = missing.error as Problem | undefined;
console.log(
  JSON.stringify({
    id,
    listed: record?.id,
    hostname: record?.hostname,
    action: one.data?.action,
    name: project.data?.name,
    enabled: settings?.enabled,
    saved: saved.response?.status,
    code: problem?.code,
  }),
);
`;

describe('a client that @hey-api/openapi-ts generates from openapi.json', () => {
  let service: TestService;
  let project: TestProject;
  let folder: string;

  beforeAll(async () => {
    service = await startTestService();
    project = await createTestProject(service, { tier: 'pro' });
    folder = mkdtempSync(join(tmpdir(), 'consent-client-'));
    const client = join(folder, 'client');
    await node('node_modules/@hey-api/openapi-ts/bin/run.js', [
      '-i',
      resolve('openapi.json'),
      '-o',
      client,
      '-c',
      '@hey-api/client-fetch',
    ]);
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a program of the installed packages; its output is part of the failure's message. */
  async function node(file: string, args: string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
    try {
      const { stdout } = await run(process.execPath, [resolve(file), ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, ...environment },
      });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${file} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  it('compiles, strictly', async () => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023'];
    const modules = [
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--lib',
      'es2023,dom,dom.iterable',
    ];
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    await node('node_modules/typescript/bin/tsc', [...options, ...modules, ...types, 'program.ts']);
  });

  it('talks to the service', async () => {
    const bundle = join(folder, 'program.mjs');
    const { build } = await import('esbuild');
    await build({
      entryPoints: [join(folder, 'program.ts')],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    const output = await node(bundle, [], {
      BASE_URL: service.baseUrl,
      API_KEY: project.keys.editor,
      PROJECT_ID: project.id,
    });
    const answer = JSON.parse(output) as Record<string, unknown>;
    expect(answer).toEqual({
      id: answer.listed,
      listed: expect.stringMatching(/^[0-9a-f-]{36}$/),
      hostname: null,
      action: 'custom',
      name: 'A project',
      enabled: false,
      saved: 200,
      code: 'consent_not_found',
    });
  });
});
