import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';

interface Report {
  summary: { violations: { rule: { name: string; severity: string } }[] };
}

/** Runs the dependency check of `npm run arrows` over a tree and returns the names of the broken rules. */
function brokenRules(root: string, ...options: string[]): Set<string> {
  const output = execFileSync(
    'node_modules/.bin/depcruise',
    ['--config', '.dependency-cruiser.cjs', ...options, '--output-type', 'json', root],
    { env: { ...process.env, ARROWS_ROOT: root }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return new Set(
    (JSON.parse(output) as Report).summary.violations
      .filter(({ rule }) => rule.severity !== 'ignore')
      .map(({ rule }) => rule.name),
  );
}

describe('dependency rules', () => {
  const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
    forbidden: { name: string }[];
  };

  it('each is broken by a file under test/arrows and says so', () => {
    expect([...brokenRules('test/arrows')].sort()).toEqual(forbidden.map(({ name }) => name).sort());
  });

  it('none is broken by the service', () => {
    expect([...brokenRules('src', '--ignore-known', '.dependency-cruiser-known-violations.json')]).toEqual(
      [],
    );
  });
});
