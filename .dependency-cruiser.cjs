/**
 * The arrows between modules (docs/architecture.md), as a machine checks them. Every rule has a folder under
 * test/arrows/ that breaks it, and a test that sees the rule say so.
 *
 * A module's root files are its door; its folders (domain, application, http, infrastructure) are private.
 */
const ROOT = process.env.ARROWS_ROOT ?? 'src';
const ENTRY = 'one-machine|operations';

/** Which modules a module may use, beside itself, shared and database. */
const ALLOWED = {
  projects: [],
  access: ['projects'],
  licensing: ['projects', 'access', 'outbox'],
  billing: ['licensing', 'projects', 'access', 'outbox'],
  outbox: [],
  consent: ['outbox', 'licensing', 'access', 'projects'],
  forwarding: ['outbox', 'licensing', 'access', 'projects', 'consent'],
  publishing: ['outbox', 'licensing', 'access', 'projects'],
};
const MODULES = Object.keys(ALLOWED);

const mayUse = MODULES.map((module) => ({
  name: `arrows-of-${module}`,
  comment: `${module} may use ${['shared', 'database', ...ALLOWED[module]].join(', ')} and no other module`,
  severity: 'error',
  from: { path: `^${ROOT}/${module}/` },
  to: {
    path: `^${ROOT}/(${[...MODULES, ...ENTRY.split('|')].filter((other) => other !== module && !ALLOWED[module].includes(other)).join('|')})/`,
  },
}));

module.exports = {
  forbidden: [
    ...mayUse,
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or one of them knows too much.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'enter-by-the-door',
      comment: 'Of another module only the root files may be imported.',
      severity: 'error',
      from: { path: `^${ROOT}/([^/]+)/` },
      to: { path: `^${ROOT}/([^/]+)/[^/]+/`, pathNot: `^${ROOT}/$1/` },
    },
    {
      name: 'forwarding-knows-consent-by-its-events',
      comment: 'Forwarding follows consent records by consent.events alone (and its module, to import it).',
      severity: 'error',
      from: { path: `^${ROOT}/forwarding/` },
      to: { path: `^${ROOT}/consent/`, pathNot: `^${ROOT}/consent/consent\\.(events|module)\\.` },
    },
    {
      name: 'shared-knows-nobody',
      comment: 'What all modules use may use none of them; the settings type alone comes from config.',
      severity: 'error',
      from: { path: `^${ROOT}/shared/` },
      to: { path: `^${ROOT}/(${[...MODULES, ...ENTRY.split('|'), 'database', 'migrations'].join('|')})/` },
    },
    {
      name: 'domain-decides-alone',
      comment: 'Domain rules use domain files, shared and plain door files: no I/O, no Nest, no database.',
      severity: 'error',
      from: { path: `^${ROOT}/[^/]+/domain/`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: `^${ROOT}/[^/]+/(application|http|infrastructure)/|node_modules/(@nestjs|@mikro-orm|pg|undici|bullmq|express|kysely)/`,
      },
    },
    {
      name: 'application-below-http',
      comment: 'http calls application, not the other way round.',
      severity: 'error',
      from: { path: `^${ROOT}/[^/]+/application/` },
      to: { path: `^${ROOT}/[^/]+/http/` },
    },
    {
      name: 'infrastructure-below-application',
      comment: 'Infrastructure touches the world; it does not orchestrate.',
      severity: 'error',
      from: { path: `^${ROOT}/[^/]+/infrastructure/` },
      to: { path: `^${ROOT}/[^/]+/(application|http)/` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
