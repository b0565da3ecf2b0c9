/**
 * The arrows of docs/architecture.md as a list of what is allowed: an import that no line here knows is refused, and
 * so is a folder that no line knows. Every kind of refusal is tested in test/imports.services.spec.ts.
 *
 * A module's root files are its door: others may import them, and its domain; the other folders are its own.
 */
const ROOT = 'src';

/** The modules that a module may use besides itself, the audit and the shared folders. The audit uses none. */
const MODULES = {
  audit: [],
  outbox: ['projects'],
  mail: ['outbox'],
  projects: [],
  access: ['projects', 'mail', 'outbox'],
  licensing: ['projects', 'access', 'outbox'],
  consent: ['outbox', 'licensing', 'access', 'projects'],
  evidence: ['outbox', 'access', 'projects', 'consent', 'publishing'],
  visits: ['licensing', 'access', 'projects', 'consent'],
  forwarding: ['outbox', 'mail', 'licensing', 'access', 'projects', 'consent', 'evidence'],
  billing: ['outbox', 'licensing', 'access', 'projects'],
  publishing: ['outbox', 'licensing', 'access', 'projects', 'visits'],
  'first-party': ['access', 'projects', 'publishing'],
  scans: ['outbox', 'mail', 'licensing', 'access', 'projects', 'publishing', 'evidence', 'domains'],
  domains: ['mail', 'licensing', 'access', 'projects', 'first-party'],
  operations: ['outbox', 'access'],
};

/** `http ─▶ application ─▶ infrastructure ─▶ domain`: what each layer may use inside its module; the door all of it. */
const LAYERS = {
  http: ['http', 'application', 'domain'],
  application: ['application', 'infrastructure', 'domain'],
  infrastructure: ['infrastructure', 'domain'],
};

/** What is neither pure nor a rule stays out of the domain. Three files keep counters in a bounded map. */
const DOMAIN_SHARED = [
  'address-policy',
  'back-off',
  'brand',
  'client-network',
  'domain-error',
  'escape-html',
  'field-problem',
  'ids',
  'instant',
  'months',
  'wordmark',
];
const DOMAIN_PACKAGES = [
  '@peculiar/asn1-\\w+',
  'canonicalize',
  'ipaddr\\.js',
  'lru-cache',
  'robots-parser',
  'tldts',
];
const DOMAIN_NODE = ['crypto', 'net', 'url', 'util'];
const DATABASE_PACKAGES = ['@mikro-orm', 'kysely', 'pg'];
/** What talks to another server, and the frame of HTTP. */
const NETWORK_PACKAGES = [
  'undici',
  'bullmq',
  '@nestjs/bullmq',
  'stripe',
  'better-auth',
  'nodemailer',
  '@aws-sdk',
];

const any = (names) => `(${names.join('|')})`;
const packages = (names) => `node_modules/${any(names)}/`;
const MODULE = any(Object.keys(MODULES));
/** A module's door: the files at its root. */
const door = (module) => `^${ROOT}/${module}/[^/]+$`;
const outsideDomain = [`^${ROOT}/${MODULE}/(http|application|infrastructure)/`, `^${ROOT}/${MODULE}/[^/]+$`];
const NODE = '^(node:)?[a-z0-9_/]+$';
const INSTALLED = ['node_modules/', NODE];

const USED = Object.entries(MODULES).map(([module, others]) => [
  module,
  module === 'audit' ? others : [...others, 'audit'],
]);

const ofModules = USED.flatMap(([module, others]) => [
  ...Object.entries(LAYERS).map(([layer, own]) => ({
    from: { path: `^${ROOT}/${module}/${layer}/` },
    to: { path: [`^${ROOT}/${module}/${any(own)}/`, door(module)] },
  })),
  { from: { path: door(module) }, to: { path: `^${ROOT}/${module}/` } },
  {
    from: { path: `^${ROOT}/${module}/(http|application|infrastructure)/|${door(module)}` },
    to: {
      // An empty list would stand for everything.
      path: ['^nothing$', ...others.flatMap((other) => [door(other), `^${ROOT}/${other}/domain/`])],
      // Other modules use consent by its hooks, its records and the announcer, not by its service.
      pathNot: `^${ROOT}/consent/consent\\.(?!hooks|records|module)`,
    },
  },
  {
    from: { path: `^${ROOT}/${module}/domain/` },
    to: { path: [module, ...others].map((known) => `^${ROOT}/${known}/domain/`) },
  },
]);

/** One rule per module: a rule on what can be reached knows no `$1`. */
const layersPointDown = Object.keys(MODULES).map((module) => ({
  name: `${module}-layers-point-down`,
  comment:
    'A layer reaches no layer above it, not even through the files at the root of its module or through another module.',
  severity: 'error',
  from: { path: `^${ROOT}/${module}/infrastructure/` },
  to: { path: `^${ROOT}/${module}/(application|http)/`, reachable: true },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or one of them knows too much.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...layersPointDown,
    {
      name: 'workers-load-no-routes',
      comment: 'What serves HTTP takes 22 MB of a worker that serves none.',
      severity: 'error',
      from: { path: `^${ROOT}/app/worker-program\\.ts$` },
      to: { path: [`^${ROOT}/${MODULE}/http/`, packages(['express', '@nestjs/swagger'])], reachable: true },
    },
    {
      name: 'sql-in-infrastructure',
      comment: 'SQL stands in infrastructure. Three modules still have some in application.',
      severity: 'error',
      from: { path: `^${ROOT}/[^/]+/application/`, pathNot: `^${ROOT}/(audit|billing|evidence)/` },
      to: { path: packages(['kysely']) },
    },
    {
      name: 'use-cases-know-no-http',
      comment:
        'What a use case refuses, it says by a DomainError; guards and decorators are for the http layer.',
      severity: 'error',
      from: { path: `^${ROOT}/[^/]+/(application|infrastructure|domain)/` },
      to: { path: [`^${ROOT}/[^/]+/[^/]+\\.(guard|decorators?)\\.ts$`, packages(['express'])] },
    },
  ],
  allowed: [
    ...ofModules,
    {
      comment: 'Domain rules: named pure files, and nothing that touches the world.',
      from: { path: `^${ROOT}/${MODULE}/domain/` },
      to: {
        path: [
          `^${ROOT}/shared/${any(DOMAIN_SHARED)}\\.ts$`,
          packages(DOMAIN_PACKAGES),
          `^(node:)?${any(DOMAIN_NODE)}$`,
        ],
      },
    },
    {
      comment: 'The routes of projects ask who may call them; access asks whether the project is there.',
      from: { path: `^${ROOT}/projects/http/` },
      to: { path: [door('access'), `^${ROOT}/access/domain/`] },
    },
    {
      comment: 'So do the routes of the audit, which access and projects write.',
      from: { path: `^${ROOT}/audit/http/` },
      to: { path: [door('access'), `^${ROOT}/(access|projects)/domain/`] },
    },
    {
      comment: 'Every layer but the domain may use shared, settings and the database.',
      from: { path: outsideDomain },
      to: { path: `^${ROOT}/(shared|settings|database)/` },
    },
    {
      comment: 'The HTTP layer and the public files of a module may use the shared parts of HTTP.',
      from: { path: [`^${ROOT}/${MODULE}/http/`, `^${ROOT}/${MODULE}/[^/]+$`] },
      to: { path: `^${ROOT}/http/` },
    },
    {
      comment:
        'What is installed, too; the http layer reaches neither the database nor other servers by itself.',
      from: { path: outsideDomain, pathNot: `^${ROOT}/${MODULE}/http/` },
      to: { path: INSTALLED, pathNot: `^${ROOT}/` },
    },
    {
      from: { path: `^${ROOT}/${MODULE}/http/` },
      to: { path: INSTALLED, pathNot: [`^${ROOT}/`, packages([...DATABASE_PACKAGES, ...NETWORK_PACKAGES])] },
    },
    { from: { path: `^${ROOT}/settings/` }, to: { path: [...INSTALLED, `^${ROOT}/settings/`] } },
    { from: { path: `^${ROOT}/shared/` }, to: { path: [...INSTALLED, `^${ROOT}/(shared|settings)/`] } },
    {
      from: { path: `^${ROOT}/database/` },
      to: { path: [...INSTALLED, `^${ROOT}/(database|shared|settings|migrations)/`] },
    },
    {
      from: { path: `^${ROOT}/http/` },
      to: { path: [...INSTALLED, `^${ROOT}/(http|shared|settings|database)/`] },
    },
    {
      from: { path: `^${ROOT}/migrations/` },
      to: { path: [`^${ROOT}/(migrations|database)/`, packages(['@mikro-orm'])] },
    },
    {
      comment: 'What puts everything together may know everything; nothing knows it but the programs.',
      from: { path: `^${ROOT}/(app|standalone)/` },
      to: {
        path: [
          ...INSTALLED,
          `^${ROOT}/(app|standalone|http|shared|settings|database|migrations|${Object.keys(MODULES).join('|')})/`,
        ],
      },
    },
    {
      comment: 'The programs say what they are, and leave the rest to app.',
      from: { path: `^${ROOT}/(main|worker|ops|scanner)\\.ts$` },
      to: { path: [`^${ROOT}/app/`, NODE] },
    },
    {
      comment: 'The tests that stand beside the rules.',
      from: { path: '\\.spec\\.ts$' },
      to: {
        path: [
          `^${ROOT}/${MODULE}/domain/`,
          `^${ROOT}/shared/`,
          packages(['@jest', 'fast-check', 'standardwebhooks']),
        ],
      },
    },
  ],
  allowedSeverity: 'error',
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
