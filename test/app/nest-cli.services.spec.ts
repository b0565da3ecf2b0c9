import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXTRAS } from '../support/programs/extras.js';

const COPIED = ['src', 'messages', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];

let checkout: string;

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'consent-nest-cli-'));
  for (const path of COPIED) cpSync(path, join(checkout, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
});

afterAll(() => rmSync(checkout, { recursive: true, force: true }));

describe('the Nest command line', () => {
  it('builds by nest-cli.json what npm start runs', () => {
    const nest = resolve(EXTRAS, '@nestjs', 'cli', 'bin', 'nest.js');
    execFileSync(process.execPath, [nest, 'build'], { cwd: checkout, stdio: 'pipe' });
    expect(existsSync(join(checkout, 'dist', 'main.js'))).toBe(true);
    expect(existsSync(join(checkout, 'dist', 'main.js.map'))).toBe(true);
    expect(existsSync(join(checkout, 'dist', 'src'))).toBe(false);
  });
});
