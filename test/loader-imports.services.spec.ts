import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const DEPENDENCY_CRUISER = resolve(
  'scripts/tools/node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loader-imports-'));
  cpSync('loader', join(folder, 'loader'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The rules that the imports of loader/ break, with one more file in it. */
function brokenRules(file: string, source: string): string[] {
  writeFileSync(join(folder, file), source);
  try {
    const { stdout } = spawnSync(
      process.execPath,
      [
        DEPENDENCY_CRUISER,
        '--config',
        join('loader', '.dependency-cruiser.cjs'),
        '--output-type',
        'json',
        'loader',
      ],
      { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    const { violations } = (JSON.parse(stdout) as { summary: { violations: { rule: { name: string } }[] } })
      .summary;
    return [...new Set(violations.map(({ rule }) => rule.name))];
  } finally {
    rmSync(join(folder, file));
  }
}

it.each([
  ['loader/extra.ts', "import './site';", []],
  ['loader/extra.ts', "import './banner/rules';", ['loader-without-banner']],
  ['loader/banner/extra.ts', "import '../storage';", []],
  ['loader/banner/extra.ts', "import '../configuration';", ['banner-without-loader']],
  ['loader/preview/extra.ts', "import '../mode';", []],
  ['loader/preview/extra.ts', "import '../banner/rules';", ['preview-without-both']],
  ['loader/banner/extra.ts', "import '../banner/extra';", ['no-cycles']],
  ['loader/banner/extra.ts', "import 'node:fs';", ['nothing-else']],
])('%s: %s', (file, source, broken) => {
  expect(brokenRules(file, source)).toEqual(broken);
});
