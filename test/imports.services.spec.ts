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
/** Folders with layers, below src/. */
const MODULES = ['modules', 'platform'].flatMap((group) =>
  readdirSync(join('src', group))
    .map((name) => `${group}/${name}`)
    .filter((name) => existsSync(join('src', name, 'domain'))),
);
/** Shared folders, and files of them that modules import below. */
const SHARED_FILES = [
  'platform/identity/ids',
  'platform/limits/leaf',
  'platform/settings/leaf',
  'platform/database/pool',
  'platform/http/leaf',
  'migrations/first',
  'programs/run',
  'standalone/machine',
  'standalone/demo/shop',
  'scanner/run',
];
/** Parts of the platform with the same rule. */
const PARTS_ALIKE = [
  'errors',
  'export',
  'identity',
  'limits',
  'messages',
  'network',
  'pdf',
  'process',
  'secrets',
  'storage',
  'threads',
  'time',
];

/** Imports that the rules refuse: the importing file of src/, and what it imports. */
const REFUSED: [file: string, imported: string][] = [
  // A layer imports only those to its right: http, application, infrastructure, domain.
  ['modules/consent/http/probe', 'modules/consent/infrastructure/store'],
  ['modules/consent/application/probe', 'modules/consent/http/controller'],
  ['modules/consent/infrastructure/probe', 'modules/consent/application/use-case'],
  ['modules/consent/infrastructure/probe', 'modules/consent/consent.hooks'],
  ['modules/evidence/infrastructure/probe', 'modules/evidence/application/use-case'],
  ['modules/scans/http/probe', 'modules/scans/infrastructure/store'],
  ['modules/visits/http/probe', 'modules/visits/infrastructure/store'],
  ['modules/visits/application/probe', 'modules/visits/http/controller'],
  // The domain imports neither services nor anything that reaches the outside.
  ['modules/consent/domain/probe', 'modules/consent/consent.service'],
  ['modules/consent/domain/probe', 'modules/consent/infrastructure/store'],
  ['modules/consent/domain/probe', 'modules/licensing/licensing.service'],
  ['modules/consent/domain/probe', 'platform/database/pool'],
  ['modules/consent/domain/probe', 'platform/limits/leaf'],
  ['modules/consent/domain/probe', 'platform/http/leaf'],
  ['modules/evidence/domain/probe', 'platform/settings/leaf'],
  ['modules/visits/domain/probe', 'platform/limits/leaf'],
  ['modules/consent/domain/probe', '@nestjs/common'],
  ['modules/consent/domain/probe', 'better-auth'],
  ['modules/consent/domain/probe', 'stripe'],
  ['modules/consent/domain/probe', 'node:fs'],
  ['modules/evidence/domain/probe', 'node:worker_threads'],
  // Use cases know nothing of HTTP.
  ['modules/consent/application/probe', 'express'],
  ['modules/consent/application/probe', 'modules/access/access.guard'],
  ['modules/consent/application/probe', 'modules/access/access.decorators'],
  ['modules/consent/application/probe', 'platform/http/leaf'],
  ['modules/evidence/infrastructure/probe', 'platform/http/leaf'],
  ['modules/projects/application/probe', 'modules/access/access.guard'],
  ['modules/projects/http/probe', 'modules/access/access.guard'],
  // The HTTP layer imports neither the database nor HTTP clients.
  ['modules/consent/http/probe', 'kysely'],
  ['modules/consent/http/probe', 'pg'],
  ['modules/consent/http/probe', 'undici'],
  ['modules/evidence/http/probe', '@mikro-orm/core'],
  ['modules/visits/http/probe', 'pg'],
  // Modules import only the modules that they may know, and of those the root files and the domain.
  ['modules/access/probe', 'modules/licensing/licensing.service'],
  ['modules/audit/http/probe', 'modules/consent/consent.hooks'],
  ['modules/audit/probe', 'modules/projects/projects.service'],
  ['modules/billing/probe', 'modules/consent/consent.hooks'],
  ['modules/consent/probe', 'modules/forwarding/forwarding.service'],
  ['modules/consent/probe', 'modules/evidence/evidence.service'],
  ['modules/consent/probe', 'modules/visits/visits.service'],
  ['modules/consent/probe', 'modules/licensing/application/use-case'],
  ['modules/domains/probe', 'modules/forwarding/forwarding.service'],
  ['modules/evidence/probe', 'modules/forwarding/forwarding.service'],
  ['modules/evidence/probe', 'modules/visits/visits.service'],
  ['modules/evidence/application/probe', 'modules/consent/infrastructure/store'],
  ['modules/evidence/application/probe', 'modules/consent/consent.service'],
  ['modules/forwarding/application/probe', 'modules/consent/consent.service'],
  ['modules/domains/application/probe', 'modules/forwarding/forwarding.service'],
  ['modules/forwarding/probe', 'modules/publishing/publishing.service'],
  ['modules/licensing/probe', 'modules/billing/billing.service'],
  ['platform/mail/probe', 'modules/forwarding/forwarding.service'],
  ['platform/operations/application/probe', 'modules/licensing/licensing.service'],
  ['platform/outbox/probe', 'modules/access/access.decorators'],
  ['modules/overview/application/probe', 'modules/consent/consent.service'],
  ['modules/overview/probe', 'modules/scans/scans.service'],
  ['modules/publishing/probe', 'modules/forwarding/forwarding.service'],
  ['modules/publishing/probe', 'modules/overview/project-overview'],
  ['modules/publishing/probe', 'modules/evidence/evidence.service'],
  ['modules/scans/probe', 'modules/forwarding/forwarding.service'],
  ['modules/events/probe', 'modules/forwarding/forwarding.service'],
  ['modules/imports/probe', 'modules/forwarding/forwarding.service'],
  ['modules/organizations/probe', 'modules/forwarding/forwarding.service'],
  ['platform/delivery/probe', 'modules/forwarding/forwarding.service'],
  ['modules/visits/probe', 'modules/evidence/evidence.service'],
  ['modules/visits/probe', 'modules/publishing/publishing.service'],
  // The platform imports no module, and its parts only those below them.
  ['platform/limits/probe', 'platform/outbox/outbox.service'],
  ['platform/limits/probe', 'programs/run'],
  ['platform/limits/probe', 'platform/database/pool'],
  ['platform/limits/probe', 'platform/http/leaf'],
  ['platform/settings/probe', 'modules/projects/projects.service'],
  ['platform/settings/probe', 'platform/limits/leaf'],
  ['platform/settings/probe', 'platform/database/pool'],
  ['platform/database/probe', 'modules/projects/projects.service'],
  ['platform/database/probe', 'platform/http/leaf'],
  ['platform/http/probe', 'modules/access/access.guard'],
  ['platform/http/probe', 'modules/evidence/domain/rule'],
  ['migrations/probe', 'modules/evidence/evidence.service'],
  ['modules/consent/application/probe', 'programs/run'],
  ['modules/consent/application/probe', 'standalone/machine'],
  ['modules/evidence/application/probe', 'programs/run'],
  ['main', 'modules/projects/projects.service'],
  // The scanner shares a few files with the module of its findings, and loads no Nest.
  ['scanner/probe', 'modules/scans/application/use-case'],
  ['scanner/probe', 'modules/access/access.guard'],
  ['scanner/probe', 'platform/http/leaf'],
  ['scanner/probe', '@nestjs/common'],
  ['modules/scans/application/probe', 'scanner/run'],
  // Only programs start the demo.
  ['modules/licensing/application/probe', 'standalone/demo/shop'],
  ['standalone/probe', 'standalone/demo/shop'],
  ['modules/pages/http/probe', 'modules/forwarding/forwarding.service'],
  ['modules/dashboard/probe', 'modules/consent/consent.hooks'],
  ['platform/openapi/probe', 'modules/access/access.decorators'],
  // SQL is in infrastructure.
  ['modules/consent/application/probe', 'kysely'],
  ['modules/publishing/application/probe', 'kysely'],
  // Folders that no rule names.
  ['utils/probe', 'platform/limits/leaf'],
  ['modules/consent/helpers/probe', 'platform/limits/leaf'],
];

/** Imports that the rules allow, so that no rule refuses everything. */
const ALLOWED: [file: string, imported: string][] = [
  ['modules/consent/http/probe', 'modules/consent/application/use-case'],
  ['modules/consent/http/probe', 'platform/http/leaf'],
  ['modules/consent/application/probe', 'modules/consent/infrastructure/store'],
  ['modules/consent/application/probe', 'modules/licensing/licensing.service'],
  ['modules/consent/infrastructure/probe', 'kysely'],
  ['modules/consent/domain/probe', 'platform/identity/ids'],
  ['modules/consent/domain/probe', 'node:crypto'],
  ['modules/evidence/application/probe', 'modules/consent/consent.hooks'],
  ['modules/evidence/application/probe', 'modules/publishing/publishing.service'],
  ['modules/evidence/infrastructure/probe', 'platform/database/pool'],
  ['modules/forwarding/application/probe', 'modules/evidence/evidence.service'],
  ['modules/scans/application/probe', 'modules/publishing/publishing.service'],
  ['modules/visits/http/probe', 'modules/visits/application/use-case'],
  ['modules/visits/application/probe', 'modules/licensing/domain/rule'],
  ['platform/database/probe', 'platform/limits/leaf'],
  ['platform/http/probe', 'platform/database/pool'],
  ['platform/limits/probe', 'platform/settings/leaf'],
  ['ops', 'programs/run'],
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
      `${module.split('/')[1]}.service`,
      'http/controller',
      'application/use-case',
      'infrastructure/store',
      'domain/rule',
    ])
      write(`src/${module}/${file}.ts`, 'export const taken = 0;');
  for (const file of ['modules/access/access.guard', 'modules/access/access.decorators', ...SHARED_FILES])
    write(`src/${file}.ts`, 'export const taken = 0;');
  write('src/modules/consent/consent.hooks.ts', "export { taken } from './application/use-case.js';");
  write(
    'src/modules/projects/circle-a.ts',
    "import { b } from './circle-b.js';\nexport const a = (): number => b();",
  );
  write(
    'src/modules/projects/circle-b.ts',
    "export { a } from './circle-a.js';\nexport const b = (): number => 0;",
  );
  write('src/programs/worker-program.ts', "export { taken } from './worker-modules.js';");
  write('src/programs/worker-modules.ts', "export { taken } from '../modules/consent/http/controller.js';");
  for (const [list, name] of [
    [REFUSED, 'refused'],
    [ALLOWED, 'allowed'],
  ] as const)
    list.forEach((row, index) => {
      const file = fileOf(row, `${name}-${index}`);
      write(file, `import * as taken from '${specifier(file, row[1])}';\nexport { taken };`);
    });
  violations = cruise(folder);
});

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
    expect(cycles).toEqual(['src/modules/projects/circle-a.ts']);
  });

  it('refuse that a worker loads routes', () => {
    const loaded = violations.filter(({ rule }) => rule.name === 'workers-load-no-routes');
    expect(loaded.map(({ from }) => from)).toEqual(['src/programs/worker-program.ts']);
  });

  it('have at least one refused import of every module, part of the platform and other folder', () => {
    const importing = REFUSED.map(([file]) => placeOf(file));
    const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const places = folders.flatMap(({ name }) =>
      name === 'modules' || name === 'platform'
        ? readdirSync(join('src', name)).map((part) => `${name}/${part}`)
        : [name],
    );
    // One rule for all of these, which has its probes in `limits`.
    const alike = PARTS_ALIKE.map((part) => `platform/${part}`);
    expect([...new Set(importing), ...alike, 'programs']).toEqual(expect.arrayContaining(places));
  });

  it('refuse nothing of the service', () => {
    expect(cruise('.')).toEqual([]);
  });
});

/** Recognized by name only: an allowed package has parts that are not allowed. Checked by `npm run check -- lint`. */
describe('the names that a layer may not import', () => {
  it.each([
    ['modules/consent/domain/rule', "export { connect } from 'node:net';", true],
    [
      'modules/consent/domain/rule',
      "import { connect } from 'node:net';\nexport const taken = connect;",
      true,
    ],
    ['modules/consent/domain/rule', "import { isIP } from 'node:net';\nexport const taken = isIP;", false],
    [
      'modules/consent/application/use-case',
      "import { NotFoundException } from '@nestjs/common';\nexport const taken = NotFoundException;",
      true,
    ],
    [
      'modules/consent/application/use-case',
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

/** The module, part of the platform or folder of a file below src/. */
function placeOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'modules' || first === 'platform' ? `${first}/${second}` : first;
}

function write(file: string, source: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `${source}\n`);
}

/** The imported name: a package, or a file of src/ relative to the importing one. */
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
