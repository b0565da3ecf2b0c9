/**
 * The arrows of docs/architecture.md as a list of what is allowed: an import that no line here knows is refused, and
 * so is a folder that no line knows. Every kind of refusal is tested in test/imports.services.spec.ts.
 *
 * A module's root files are its door: others may import them, and its domain; the other folders are its own.
 */
const ROOT = 'src';

/** The modules that a module may use besides itself, the audit and the platform. The audit uses none. */
const MODULES = {
  audit: [],
  projects: [],
  // Written by the modules above, in the transaction of a change.
  events: ['projects'],
  // Access adds the roles of organizations to those on projects.
  organizations: ['projects'],
  access: ['projects', 'organizations'],
  licensing: ['projects', 'access'],
  consent: ['licensing', 'access', 'projects'],
  evidence: ['access', 'projects', 'consent', 'publishing'],
  visits: ['licensing', 'access', 'projects', 'consent'],
  // Parts of files are in the storage of published sites.
  imports: ['licensing', 'access', 'projects', 'consent', 'publishing'],
  // Encrypts the secrets of all modules again.
  forwarding: ['licensing', 'access', 'projects', 'consent', 'evidence', 'imports'],
  billing: ['licensing', 'access', 'projects'],
  publishing: ['licensing', 'access', 'projects', 'visits'],
  domains: ['licensing', 'access', 'projects', 'publishing'],
  scans: ['licensing', 'access', 'projects', 'publishing', 'evidence', 'domains'],
  pages: ['licensing', 'access', 'domains'],
  // Shows projects with what every other module knows of them.
  overview: [
    'licensing',
    'access',
    'projects',
    'organizations',
    'consent',
    'forwarding',
    'publishing',
    'visits',
  ],
  dashboard: [],
};

/** Parts of the platform with the layers of a module. What each may use besides the shared parts. */
const SERVICES = { outbox: [], mail: ['outbox'], operations: ['outbox'], delivery: ['outbox'] };
/** The other parts of the platform, from the lowest: each may use itself and those before it. */
const PARTS = [
  ['settings'],
  [
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
  ],
  ['database'],
  ['http', 'openapi'],
];

/** What the scanner shares with the module that reads its findings. It imports no other file of a module. */
const SCANNER_SHARES = [
  'scans\\.(events|settings)',
  'domain/[^/]+',
  'infrastructure/(account|frontier|host|state)\\.rows',
  'infrastructure/(finding|scan)\\.entities',
  'infrastructure/scan\\.tables',
];

/** `http ─▶ application ─▶ infrastructure ─▶ domain`: what each layer may use inside its module; the door all of it. */
const LAYERS = {
  http: ['http', 'application', 'domain'],
  application: ['application', 'infrastructure', 'domain'],
  infrastructure: ['infrastructure', 'domain'],
};

/** What is neither pure nor a rule stays out of the domain. Three files keep counters in a bounded map; texts are read. */
const DOMAIN_PLATFORM = [
  'errors/domain-error',
  'errors/field-problem',
  'identity/brand',
  'identity/escape-html',
  'identity/ids',
  'identity/service-id',
  'messages/messages',
  'network/address-policy',
  'network/client-network',
  'time/back-off',
  'time/instant',
];
const DOMAIN_PACKAGES = [
  '@peculiar/asn1-\\w+',
  'canonicalize',
  'ipaddr\\.js',
  'lru-cache',
  'robots-parser',
  'tldts',
];
const DOMAIN_NODE = ['crypto', 'net', 'url', 'util', 'zlib'];
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
/** Where a module or a layered part of the platform is, below src/. */
const placeOf = (name) => `${ROOT}/${name in SERVICES ? 'platform' : 'modules'}/${name}`;
const LAYERED = `${ROOT}/(modules/${any(Object.keys(MODULES))}|platform/${any(Object.keys(SERVICES))})`;
/** A module's door: the files at its root. */
const door = (name) => `^${placeOf(name)}/[^/]+$`;
const outsideDomain = [`^${LAYERED}/(http|application|infrastructure)/`, `^${LAYERED}/[^/]+$`];
const NODE = '^(node:)?[a-z0-9_/]+$';
const INSTALLED = ['node_modules/', NODE];
/** The files at the root of operations hold no state of a service: metrics, log, tasks, commands. */
const OPERATIONS = `^${ROOT}/platform/operations/[^/]+$`;
const PLATFORM = [`^${ROOT}/platform/${any(PARTS.slice(0, 3).flat())}/`, OPERATIONS];

/** Modules that others write to; and those that do not, because they are below. */
const SHARED = ['audit', 'events'];
const WITHOUT = { audit: ['audit'], events: ['audit', 'projects', 'events'] };
const USED = [
  ...Object.entries(MODULES).map(([module, others]) => [
    module,
    [
      ...others,
      ...SHARED.filter((shared) => !WITHOUT[shared].includes(module)),
      'outbox',
      'mail',
      'delivery',
    ],
  ]),
  ...Object.entries(SERVICES),
];

const ofModules = USED.flatMap(([module, others]) => [
  ...Object.entries(LAYERS).map(([layer, own]) => ({
    from: { path: `^${placeOf(module)}/${layer}/` },
    to: { path: [`^${placeOf(module)}/${any(own)}/`, door(module)] },
  })),
  { from: { path: door(module) }, to: { path: `^${placeOf(module)}/` } },
  {
    from: { path: `^${placeOf(module)}/(http|application|infrastructure)/|${door(module)}` },
    to: {
      // An empty list would stand for everything.
      path: ['^nothing$', ...others.flatMap((other) => [door(other), `^${placeOf(other)}/domain/`])],
      // Other modules use consent by its hooks, its records and the announcer, not by its service.
      pathNot: `^${placeOf('consent')}/consent\\.(?!hooks|records|module)`,
    },
  },
  {
    from: { path: `^${placeOf(module)}/domain/` },
    to: { path: [module, ...others].map((known) => `^${placeOf(known)}/domain/`) },
  },
]);

const ofParts = PARTS.map((names, level) => ({
  from: { path: `^${ROOT}/platform/${any(names)}/` },
  to: {
    path: [
      ...INSTALLED,
      `^${ROOT}/platform/${any(PARTS.slice(0, level + 1).flat())}/`,
      ...(level > 0 ? [OPERATIONS] : []),
    ],
  },
}));

/** One rule per module: a rule on what can be reached knows no `$1`. */
const layersPointDown = USED.map(([module]) => ({
  name: `${module}-layers-point-down`,
  comment:
    'A layer reaches no layer above it, not even through the files at the root of its module or through another module.',
  severity: 'error',
  from: { path: `^${placeOf(module)}/infrastructure/` },
  to: { path: `^${placeOf(module)}/(application|http)/`, reachable: true },
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
      from: { path: `^${ROOT}/programs/worker-program\\.ts$` },
      to: { path: [`^${LAYERED}/http/`, packages(['express', '@nestjs/swagger'])], reachable: true },
    },
    {
      name: 'sql-in-infrastructure',
      comment: 'SQL stands in infrastructure. Three modules still have some in application.',
      severity: 'error',
      from: { path: `^${LAYERED}/application/`, pathNot: `^${ROOT}/modules/(audit|billing|evidence)/` },
      to: { path: packages(['kysely']) },
    },
    {
      name: 'use-cases-know-no-http',
      comment:
        'What a use case refuses, it says by a DomainError; guards and decorators are for the http layer.',
      severity: 'error',
      from: { path: `^${LAYERED}/(application|infrastructure|domain)/` },
      to: { path: [`^${LAYERED}/[^/]+\\.(guard|decorators?)\\.ts$`, packages(['express'])] },
    },
  ],
  allowed: [
    ...ofModules,
    ...ofParts,
    {
      comment: 'Domain rules: named pure files, and nothing that touches the world.',
      from: { path: `^${LAYERED}/domain/` },
      to: {
        path: [
          `^${ROOT}/platform/${any(DOMAIN_PLATFORM)}\\.ts$`,
          packages(DOMAIN_PACKAGES),
          `^(node:)?${any(DOMAIN_NODE)}$`,
        ],
      },
    },
    {
      comment:
        'Routes of audit and events check the caller, and events mails owners, although access writes both. Organizations use people, although access adds their roles.',
      from: {
        path: [
          `^${placeOf('audit')}/http/`,
          `^${placeOf('events')}/(http|application)/`,
          door('events'),
          `^${placeOf('organizations')}/`,
        ],
      },
      to: { path: [door('access'), `^${ROOT}/modules/(access|organizations|projects)/domain/`] },
    },
    {
      comment: 'Every layer but the domain may use the platform.',
      from: { path: outsideDomain },
      to: { path: PLATFORM },
    },
    {
      comment: 'The HTTP layer and the public files of a module may use the shared parts of HTTP.',
      from: { path: [`^${LAYERED}/http/`, `^${LAYERED}/[^/]+$`] },
      to: { path: `^${ROOT}/platform/(http|openapi)/` },
    },
    {
      comment:
        'What is installed, too; the http layer reaches neither the database nor other servers by itself.',
      from: { path: outsideDomain, pathNot: `^${LAYERED}/http/` },
      to: { path: INSTALLED, pathNot: `^${ROOT}/` },
    },
    {
      from: { path: `^${LAYERED}/http/` },
      to: { path: INSTALLED, pathNot: [`^${ROOT}/`, packages([...DATABASE_PACKAGES, ...NETWORK_PACKAGES])] },
    },
    {
      comment: 'The texts, which the dashboard reads, too.',
      from: { path: `^${ROOT}/platform/messages/` },
      to: { path: '^messages/' },
    },
    {
      comment: 'The database applies the migrations.',
      from: { path: `^${ROOT}/platform/database/` },
      to: { path: `^${ROOT}/migrations/` },
    },
    {
      from: { path: `^${ROOT}/migrations/` },
      to: { path: [`^${ROOT}/(migrations|platform/database)/`, packages(['@mikro-orm'])] },
    },
    {
      comment: 'The scanner is a program of its own, with a role of its own in the database.',
      from: { path: `^${ROOT}/scanner/` },
      to: {
        path: [
          ...INSTALLED,
          `^${ROOT}/scanner/`,
          ...PLATFORM,
          `^${placeOf('scans')}/${any(SCANNER_SHARES)}\\.ts$`,
        ],
        pathNot: packages(['@nestjs']),
      },
    },
    {
      comment: 'What runs without an installed database; the demo stands on it.',
      from: { path: `^${ROOT}/standalone/[^/]+$` },
      to: {
        path: [
          ...INSTALLED,
          `^${ROOT}/standalone/[^/]+$`,
          `^${ROOT}/platform/`,
          `^${ROOT}/modules/[^/]+/[^/]+\\.settings\\.ts$`,
        ],
      },
    },
    {
      from: { path: `^${ROOT}/standalone/demo/` },
      to: { path: [...INSTALLED, `^${ROOT}/(standalone|platform|modules)/`] },
    },
    {
      comment: 'The programs may use everything; nothing but the entry points uses them.',
      from: { path: `^${ROOT}/programs/` },
      to: { path: [...INSTALLED, `^${ROOT}/(programs|platform|modules|scanner|standalone|migrations)/`] },
    },
    {
      comment: 'The entry points name a program.',
      from: { path: `^${ROOT}/(main|worker|ops|scanner)\\.ts$` },
      to: { path: [`^${ROOT}/programs/`, `^${ROOT}/platform/network/trusted-roots\\.ts$`, NODE] },
    },
    {
      comment: 'The tests that stand beside the rules.',
      from: { path: '\\.spec\\.ts$' },
      to: {
        path: [
          `^${LAYERED}/domain/`,
          `^${ROOT}/(platform|scanner|standalone)/`,
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
