import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Report {
  summary: { violations: { from: string; rule: { severity: string } }[] };
}

/** Runs the check of `npm run check -- imports` over a tree and returns the files that it refuses, in order. */
function refused(root: string): string[] {
  const output = execFileSync(
    'node_modules/.bin/depcruise',
    ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', root],
    { env: { ...process.env, ARROWS_ROOT: root }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const { violations } = (JSON.parse(output) as Report).summary;
  const files = violations.filter(({ rule }) => rule.severity === 'error').map(({ from }) => from);
  return [...new Set(files)].sort();
}

/** The files of a tree that import anything: each of them is a probe. */
function probes(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(root, file))
    .filter((file) => readFileSync(file, 'utf8').startsWith('import '))
    .sort();
}

describe('the arrows', () => {
  it('refuse every file under test/arrows that imports what it may not', () => {
    const expected = probes('test/arrows');
    expect(expected.length).toBeGreaterThan(35);
    expect(refused('test/arrows')).toEqual(expected);
  });

  it('refuse nothing of the service', () => {
    expect(refused('src')).toEqual([]);
  });
});

/** Recognized by name only: an allowed package has parts that are not allowed. Checked by `npm run lint`. */
describe('the names that a layer may not import', () => {
  it.each([
    ['src/consent/domain/rule.ts', "export { connect } from 'node:net';", true],
    [
      'src/consent/domain/rule.ts',
      "import { connect } from 'node:net';\nexport const taken = connect;",
      true,
    ],
    ['src/consent/domain/rule.ts', "import { isIP } from 'node:net';\nexport const taken = isIP;", false],
    [
      'src/consent/application/use-case.ts',
      "import { NotFoundException } from '@nestjs/common';\nexport const taken = NotFoundException;",
      true,
    ],
    [
      'src/consent/application/use-case.ts',
      "import { Injectable } from '@nestjs/common';\nexport const taken = Injectable;",
      false,
    ],
  ])('%s: %s', (file, source, isRefused) => {
    const folder = mkdtempSync(join(tmpdir(), 'consent-lint-'));
    try {
      copyFileSync('.oxlintrc.json', join(folder, '.oxlintrc.json'));
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), `${source}\n`);
      const { status, stdout } = spawnSync(resolve('node_modules/.bin/oxlint'), ['--deny-warnings', 'src'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(stdout.includes('no-restricted-imports')).toBe(isRefused);
      expect(status).toBe(isRefused ? 1 : 0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
