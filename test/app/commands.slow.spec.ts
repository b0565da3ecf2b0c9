import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/programs/free-port.js';
import { Processes } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const COPIED = [
  'src',
  'loader',
  'dashboard',
  'messages',
  'docs',
  join('verify', 'verify.cjs'),
  'openapi.json',
  'scripts',
  'deploy',
  'package.json',
  'package-lock.json',
  '.swcrc',
];
const CONFIGURATION = ['tsconfig.json', 'tsconfig.build.json', 'mikro-orm.config.ts'];

const processes = new Processes();
let checkout: string;

/** A separate checkout with links to this one's modules, so that a test can remove one. */
beforeAll(() => {
  checkout = processes.folder();
  for (const path of [...COPIED, ...CONFIGURATION]) cpSync(path, join(checkout, path), { recursive: true });
  // The cache and its lock are the checkout's own.
  mkdirSync(join(checkout, 'node_modules'));
  for (const name of readdirSync('node_modules').filter((each) => each !== '.cache'))
    symlinkSync(resolve('node_modules', name), join(checkout, 'node_modules', name));
});

afterAll(() => processes.close());

interface Ended {
  code: number;
  text: string;
}

function run(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  return new Promise((end) =>
    execFile(process.execPath, args, { cwd: checkout, env }, (error, stdout, stderr) =>
      end({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    ),
  );
}

const BUILD = [join('scripts', 'build.mjs')];

describe('npm run build', () => {
  it('leaves a whole build, whoever else builds at the same time, and whenever it begins', async () => {
    const source = join(checkout, 'src', 'main.ts');
    const ends: Promise<Ended>[] = [];
    for (let n = 0; n < 4; n++) {
      ends.push(run(n % 2 === 0 ? BUILD : [...BUILD, '--if-changed']));
      writeFileSync(source, `${readFileSync(source, 'utf8')}\n// ${n}\n`);
      await new Promise((wake) => setTimeout(wake, n * 60));
    }
    for (const { code, text } of await Promise.all(ends))
      expect({ code, text }).toEqual({ code: 0, text: '' });
    expect((await run([...BUILD, '--if-changed'])).code).toBe(0);
    expect(readFileSync(join(checkout, 'dist', 'main.js'), 'utf8')).toContain('// 3');
    expect(existsSync(join(checkout, 'dist', 'loader', 'loader.js'))).toBe(true);
    expect(existsSync(join(checkout, 'dist', 'dashboard', 'index.html'))).toBe(true);
    for (const left of ['dist.building', 'dist.former']) expect(existsSync(join(checkout, left))).toBe(false);
  });

  it('is not repeated where nothing has changed', async () => {
    const before = statSync(join(checkout, 'dist')).ino;
    expect(await run([...BUILD, '--if-changed'])).toEqual({ code: 0, text: '' });
    expect(statSync(join(checkout, 'dist')).ino).toBe(before);
  });

  it('is not repeated behind npm prune --omit=dev, which writes package-lock.json again as it was', async () => {
    const lock = join(checkout, 'package-lock.json');
    const before = statSync(join(checkout, 'dist')).ino;
    writeFileSync(lock, readFileSync(lock));
    const swc = join(checkout, 'node_modules', '@swc');
    rmSync(swc);
    const ended = await run([...BUILD, '--if-changed']);
    symlinkSync(resolve('node_modules', '@swc'), swc);
    expect(ended).toEqual({ code: 0, text: '' });
    expect(statSync(join(checkout, 'dist')).ino).toBe(before);
  });
});

describe('in production', () => {
  it('npm start builds nothing, and says so where there is no build', async () => {
    rmSync(join(checkout, 'dist'), { recursive: true });
    const { code, text } = await run([...BUILD, '--if-changed'], { NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(text).toMatch(
      /^There is no build, and production does not make one\. Run "npm ci && npm run build.*\.\n$/,
    );
    expect(existsSync(join(checkout, 'dist'))).toBe(false);
  });

  it('npm run build without what builds says what to do', async () => {
    const swc = join(checkout, 'node_modules', '@swc');
    rmSync(swc);
    const { code, text } = await run(BUILD, { NODE_ENV: 'production' });
    symlinkSync(resolve('node_modules', '@swc'), swc);
    expect({ code, text }).toEqual({
      code: 1,
      text: 'The build tools are not installed. Run "npm ci" without --omit=dev and with NODE_ENV unset.\n',
    });
  });
});

describe('npm run dev', () => {
  it('restarts the service at each change', async () => {
    const port = await freePort();
    const dataDir = processes.dataFolder();
    const child: ChildProcess = spawn(process.execPath, [join('scripts', 'dev.mjs')], {
      cwd: checkout,
      env: { PATH: process.env['PATH'] ?? '', PORT: String(port), DATA_DIR: dataDir, DEMO: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    const titleOf = async (): Promise<string> => {
      const document = await fetch(`http://127.0.0.1:${port}/docs-json`).catch(() => null);
      if (!document?.ok) return '';
      return ((await document.json()) as { info: { title: string } }).info.title;
    };
    try {
      await until('the service answers', titleOf);
      const source = join(checkout, 'src', 'platform', 'openapi', 'openapi.ts');
      const text = readFileSync(source, 'utf8');
      writeFileSync(source, text.replace(/setTitle\(.*\)/, "setTitle('Another title')"));
      await until('it answers with the change', async () => (await titleOf()) === 'Another title');
    } catch (error) {
      throw new Error(output, { cause: error });
    } finally {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
  });
});
