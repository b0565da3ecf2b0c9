import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const DEPENDENCY_CRUISER = resolve(
  'scripts/tools/node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
);
const OXLINT = resolve('scripts/tools/node_modules/oxlint/bin/oxlint');
const RULES = resolve('.dependency-cruiser.cjs');
const MODULES = readdirSync('src').filter((name) => existsSync(join('src', name, 'domain')));
/** Shared folders, and files of them that modules import below. */
const SHARED_FILES = [
  'shared/ids',
  'shared/leaf',
  'settings/leaf',
  'database/pool',
  'http/leaf',
  'migrations/first',
  'app/run',
  'standalone/machine',
];

/** Imports that the rules refuse: the importing file of src/, and what it imports. */
const REFUSED: [file: string, imported: string][] = [
  // A layer imports only those to its right: http, application, infrastructure, domain.
  ['consent/http/probe', 'consent/infrastructure/store'],
  ['consent/application/probe', 'consent/http/controller'],
  ['consent/infrastructure/probe', 'consent/application/use-case'],
  ['consent/infrastructure/probe', 'consent/consent.hooks'],
  ['evidence/infrastructure/probe', 'evidence/application/use-case'],
  ['scans/http/probe', 'scans/infrastructure/store'],
  ['visits/http/probe', 'visits/infrastructure/store'],
  ['visits/application/probe', 'visits/http/controller'],
  // The domain imports neither services nor anything that reaches the outside.
  ['consent/domain/probe', 'consent/consent.service'],
  ['consent/domain/probe', 'consent/infrastructure/store'],
  ['consent/domain/probe', 'licensing/licensing.service'],
  ['consent/domain/probe', 'database/pool'],
  ['consent/domain/probe', 'shared/leaf'],
  ['consent/domain/probe', 'http/leaf'],
  ['evidence/domain/probe', 'settings/leaf'],
  ['visits/domain/probe', 'shared/leaf'],
  ['consent/domain/probe', '@nestjs/common'],
  ['consent/domain/probe', 'better-auth'],
  ['consent/domain/probe', 'stripe'],
  ['consent/domain/probe', 'node:fs'],
  ['evidence/domain/probe', 'node:worker_threads'],
  // Use cases know nothing of HTTP.
  ['consent/application/probe', 'express'],
  ['consent/application/probe', 'access/access.guard'],
  ['consent/application/probe', 'access/access.decorators'],
  ['consent/application/probe', 'http/leaf'],
  ['evidence/infrastructure/probe', 'http/leaf'],
  ['projects/application/probe', 'access/access.guard'],
  // The HTTP layer reaches neither the database nor other servers by itself.
  ['consent/http/probe', 'kysely'],
  ['consent/http/probe', 'pg'],
  ['consent/http/probe', 'undici'],
  ['evidence/http/probe', '@mikro-orm/core'],
  ['visits/http/probe', 'pg'],
  // Modules import only the modules that they may know, and of those the root files and the domain.
  ['access/probe', 'licensing/licensing.service'],
  ['audit/http/probe', 'consent/consent.hooks'],
  ['audit/probe', 'projects/projects.service'],
  ['billing/probe', 'consent/consent.hooks'],
  ['consent/probe', 'forwarding/forwarding.service'],
  ['consent/probe', 'evidence/evidence.service'],
  ['consent/probe', 'visits/visits.service'],
  ['consent/probe', 'licensing/application/use-case'],
  ['domains/probe', 'forwarding/forwarding.service'],
  ['evidence/probe', 'forwarding/forwarding.service'],
  ['evidence/probe', 'visits/visits.service'],
  ['evidence/application/probe', 'consent/infrastructure/store'],
  ['evidence/application/probe', 'consent/consent.service'],
  ['forwarding/application/probe', 'consent/consent.service'],
  ['first-party/probe', 'forwarding/forwarding.service'],
  ['forwarding/probe', 'publishing/publishing.service'],
  ['licensing/probe', 'billing/billing.service'],
  ['mail/probe', 'forwarding/forwarding.service'],
  ['operations/application/probe', 'licensing/licensing.service'],
  ['outbox/probe', 'access/access.decorators'],
  ['publishing/probe', 'forwarding/forwarding.service'],
  ['publishing/probe', 'evidence/evidence.service'],
  ['scans/probe', 'forwarding/forwarding.service'],
  ['visits/probe', 'evidence/evidence.service'],
  ['visits/probe', 'publishing/publishing.service'],
  // Shared folders know no module, and nothing but the programs knows what puts everything together.
  ['shared/probe', 'outbox/outbox.service'],
  ['shared/probe', 'app/run'],
  ['shared/probe', 'database/pool'],
  ['shared/probe', 'http/leaf'],
  ['settings/probe', 'projects/projects.service'],
  ['settings/probe', 'shared/leaf'],
  ['settings/probe', 'database/pool'],
  ['database/probe', 'projects/projects.service'],
  ['database/probe', 'http/leaf'],
  ['http/probe', 'access/access.guard'],
  ['http/probe', 'evidence/domain/rule'],
  ['migrations/probe', 'evidence/evidence.service'],
  ['consent/application/probe', 'app/run'],
  ['consent/application/probe', 'standalone/machine'],
  ['evidence/application/probe', 'app/run'],
  ['main', 'projects/projects.service'],
  // SQL stands in infrastructure.
  ['consent/application/probe', 'kysely'],
  ['publishing/application/probe', 'kysely'],
  // Folders that no rule names.
  ['utils/probe', 'shared/leaf'],
  ['consent/helpers/probe', 'shared/leaf'],
];

/** Imports that the rules allow, so that no rule refuses everything. */
const ALLOWED: [file: string, imported: string][] = [
  ['consent/http/probe', 'consent/application/use-case'],
  ['consent/http/probe', 'http/leaf'],
  ['consent/application/probe', 'consent/infrastructure/store'],
  ['consent/application/probe', 'licensing/licensing.service'],
  ['consent/infrastructure/probe', 'kysely'],
  ['consent/domain/probe', 'shared/ids'],
  ['consent/domain/probe', 'node:crypto'],
  ['evidence/application/probe', 'consent/consent.hooks'],
  ['evidence/application/probe', 'publishing/publishing.service'],
  ['evidence/infrastructure/probe', 'database/pool'],
  ['forwarding/application/probe', 'evidence/evidence.service'],
  ['scans/application/probe', 'publishing/publishing.service'],
  ['visits/http/probe', 'visits/application/use-case'],
  ['visits/application/probe', 'licensing/domain/rule'],
  ['database/probe', 'shared/leaf'],
  ['http/probe', 'database/pool'],
  ['shared/probe', 'settings/leaf'],
  ['ops', 'app/run'],
];

/** A probe's own file: many of them import from the same folder. */
const fileOf = ([file]: readonly string[], place: string): string =>
  `src/${/probe$/.test(file ?? '') ? `${file}-${place}` : file}.ts`;

interface Report {
  summary: { violations: { from: string; rule: { name: string; severity: string } }[] };
}

let folder: string;
let violations: Report['summary']['violations'];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'consent-imports-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const file of ['tsconfig.json', '.oxlintrc.json']) copyFileSync(file, join(folder, file));
  for (const module of MODULES)
    for (const file of [
      `${module}.service`,
      'http/controller',
      'application/use-case',
      'infrastructure/store',
      'domain/rule',
    ])
      write(`src/${module}/${file}.ts`, 'export const taken = 0;');
  for (const file of ['access/access.guard', 'access/access.decorators', ...SHARED_FILES])
    write(`src/${file}.ts`, 'export const taken = 0;');
  write('src/consent/consent.hooks.ts', "export { taken } from './application/use-case.js';");
  write(
    'src/projects/circle-a.ts',
    "import { b } from './circle-b.js';\nexport const a = (): number => b();",
  );
  write('src/projects/circle-b.ts', "export { a } from './circle-a.js';\nexport const b = (): number => 0;");
  write('src/app/worker-program.ts', "export { taken } from './worker-modules.js';");
  write('src/app/worker-modules.ts', "export { taken } from '../consent/http/controller.js';");
  for (const [list, name] of [
    [REFUSED, 'refused'],
    [ALLOWED, 'allowed'],
  ] as const)
    list.forEach((row, index) => {
      const file = fileOf(row, `${name}-${index}`);
      write(file, `import * as taken from '${specifier(file, row[1])}';\nexport { taken };`);
    });
  violations = cruise(folder);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the import rules', () => {
  it.each(REFUSED.map((row, index) => [...row, index] as const))(
    'refuse that %s imports %s',
    (file, imported, index) => {
      expect(refused()).toContain(fileOf([file, imported], `refused-${index}`));
    },
  );

  it.each(ALLOWED.map((row, index) => [...row, index] as const))(
    'allow that %s imports %s',
    (file, imported, index) => {
      expect(refused()).not.toContain(fileOf([file, imported], `allowed-${index}`));
    },
  );

  it('refuse a cycle', () => {
    const cycles = violations.filter(({ rule }) => rule.name === 'no-cycles').map(({ from }) => from);
    expect(cycles).toEqual(['src/projects/circle-a.ts']);
  });

  it('refuse that a worker loads routes', () => {
    const loaded = violations.filter(({ rule }) => rule.name === 'workers-load-no-routes');
    expect(loaded.map(({ from }) => from)).toEqual(['src/app/worker-program.ts']);
  });

  it('have at least one refused import of every module and shared folder', () => {
    const importing = REFUSED.map(([file]) => file.split('/')[0]);
    const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...new Set(importing)]).toEqual(
      expect.arrayContaining(
        folders.map(({ name }) => name).filter((name) => !['app', 'standalone'].includes(name)),
      ),
    );
  });

  it('refuse nothing of the service', () => {
    expect(cruise('.')).toEqual([]);
  }, 120_000);
});

/** Recognized by name only: an allowed package has parts that are not allowed. Checked by `npm run check -- lint`. */
describe('the names that a layer may not import', () => {
  it.each([
    ['consent/domain/rule', "export { connect } from 'node:net';", true],
    ['consent/domain/rule', "import { connect } from 'node:net';\nexport const taken = connect;", true],
    ['consent/domain/rule', "import { isIP } from 'node:net';\nexport const taken = isIP;", false],
    [
      'consent/application/use-case',
      "import { NotFoundException } from '@nestjs/common';\nexport const taken = NotFoundException;",
      true,
    ],
    [
      'consent/application/use-case',
      "import { Injectable } from '@nestjs/common';\nexport const taken = Injectable;",
      false,
    ],
  ])('%s: %s', (file, source, isRefused) => {
    write(`src/${file}.ts`, source);
    const { status, stdout } = spawnSync(process.execPath, [OXLINT, '--deny-warnings', `src/${file}.ts`], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout.includes('no-restricted-imports')).toBe(isRefused);
    expect(status).toBe(isRefused ? 1 : 0);
  });
});

function write(file: string, source: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `${source}\n`);
}

/** What stands in the import: a package as it is, a file of src/ relative to the importing one. */
function specifier(file: string, imported: string): string {
  if (!existsSync(join(folder, 'src', `${imported}.ts`))) return imported;
  const up = dirname(file)
    .split('/')
    .slice(1)
    .map(() => '..');
  return `${up.length > 0 ? up.join('/') : '.'}/${imported}.js`;
}

function refused(): string[] {
  return violations.filter(({ rule }) => rule.severity === 'error').map(({ from }) => from);
}

/** The violations that the check of `npm run check -- imports` reports for src/ of a folder. */
function cruise(root: string): Report['summary']['violations'] {
  const { stdout } = spawnSync(
    process.execPath,
    [DEPENDENCY_CRUISER, '--config', RULES, '--output-type', 'json', 'src'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return (JSON.parse(stdout) as Report).summary.violations;
}
