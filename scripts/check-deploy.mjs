// Checks what lies in deploy/ and is not run by a test: npm run check:deploy. Kubernetes' manifests against its schemas,
// Prometheus' rules by its own promtool (Debian's package `prometheus`), Grafana's dashboard and the compose file as far
// as they can be read.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { installPackages } from './install-packages.mjs';

const EXTRAS = join('test', 'extras');
/** A range of trusted proxies has at least this many fixed bits: 256 addresses. */
const WIDEST_PREFIX = 24;
const read = (...path) => readFileSync(join(...path), 'utf8');
const problems = [];

installPackages(EXTRAS);
const { validateManifest } = await import('../test/extras/kubernetes.mjs');

const { version } = JSON.parse(read('package.json'));
const manifests = [];
const EDGE_IMAGE = 'caddy:2';
for (const manifest of ['consent-service.yaml', 'edge.yaml'].flatMap((file) =>
  loadAll(read('deploy', 'kubernetes', file)),
)) {
  manifests.push(manifest);
  const name = `${manifest.kind} ${manifest.metadata?.name}`;
  try {
    await validateManifest(manifest);
    for (const { image } of manifest.spec?.template?.spec?.containers ?? [])
      if (
        image !== EDGE_IMAGE &&
        (!/^consent-service(-scanner)?:/.test(image) || !image.endsWith(`:${version}`))
      )
        problems.push(`${name} runs ${image}, not version ${version}`);
    console.log(`${name}: as Kubernetes wants it`);
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
  }
}

problems.push(...networkProblems(manifests), ...proxyProblems(manifests));

// Version 1.1 has the merge key `<<`.
const compose = load(read('docker-compose.yml'), { schema: YAML11_SCHEMA });
for (const [name, service] of Object.entries(compose.services)) {
  for (const secret of service.secrets ?? [])
    if (!(secret in compose.secrets)) problems.push(`compose: ${name} wants a secret ${secret} that is none`);
  for (const other of Object.keys(service.depends_on ?? {}))
    if (!(other in compose.services)) problems.push(`compose: ${name} waits for ${other}, which is none`);
}
problems.push(...hardeningProblems(compose.services));
const builds = Object.values(compose.services).flatMap(({ build, image }) => (build ? [image] : []));
if (builds.toSorted().join() !== 'consent-service,consent-service-scanner')
  problems.push('compose: exactly one service builds each image');
problems.push(...edgeVariableProblems(manifests), ...(await cellProblems(manifests)));
problems.push(
  ...caddyProblems(join('deploy', 'caddy', 'Caddyfile'), {
    ACME_EMAIL: 'a@example.com',
    SERVICE_HOST: 'consent.example.com',
    API: 'api:3000',
    ASK: 'api:3001',
  }),
  ...caddyProblems(join('deploy', 'cells', 'Caddyfile'), {
    ENTRY_HOST: 'consent.example.com',
    CELL_HOSTS: 'https://eu.consent.example.com https://us.consent.example.com',
  }),
);
JSON.parse(read('deploy', 'grafana', 'consent-service.json'));

const promtool = spawnSync('promtool', ['check', 'rules', join('deploy', 'prometheus', 'alerts.yml')], {
  stdio: 'inherit',
});
if (promtool.error) problems.push('promtool is not installed; on Debian: apt-get install prometheus');
else if (promtool.status !== 0) problems.push('promtool refuses deploy/prometheus/alerts.yml');

for (const problem of problems) console.error(String(problem));
process.exit(problems.length > 0 ? 1 : 0);

/** A configuration, by Caddy itself. */
function caddyProblems(file, environment) {
  const { status, error, stderr } = spawnSync(
    'caddy',
    ['validate', '--adapter', 'caddyfile', '--config', file],
    { encoding: 'utf8', env: { ...process.env, ...environment } },
  );
  if (error) return ['caddy is not installed; on Debian: apt-get install caddy'];
  return status === 0 ? [] : [`Caddy refuses ${file}: ${stderr}`];
}

/** The manifests of each cell: every patch fits one of them and leaves it valid. */
async function cellProblems(manifests) {
  const found = [];
  const cells = readdirSync(join('deploy', 'cells'), { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  for (const { name } of cells) {
    const file = join('deploy', 'cells', name, 'kustomization.yaml');
    const { kind, namespace, resources, patches } = load(read(file));
    if (kind !== 'Kustomization' || !namespace) found.push(`${file}: not a kustomization with a namespace`);
    for (const folder of resources)
      if (!load(read(file, '..', folder, 'kustomization.yaml')).resources.includes('consent-service.yaml'))
        found.push(`${file}: ${folder} has not the manifests of the service`);
    for (const { patch } of patches) {
      const changed = load(patch);
      const target = manifests.find(
        (each) => each.kind === changed.kind && each.metadata.name === changed.metadata.name,
      );
      if (!target) found.push(`${file}: no manifest is the ${changed.kind} ${changed.metadata.name}`);
      await validateManifest({ ...target, ...changed, data: { ...target?.data, ...changed.data } }).catch(
        (error) => found.push(`${file}: ${error.message}`),
      );
    }
  }
  return found;
}

/** Caddy refuses its configuration where a variable without a default is missing. */
function edgeVariableProblems(manifests) {
  const { edge } = load(read('docker-compose.edge.yml')).services;
  const { containers } = manifests.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'consent-edge',
  ).spec.template.spec;
  const given = {
    'docker-compose.edge.yml': Object.keys(edge.environment),
    'deploy/kubernetes/edge.yaml': containers[0].env.map(({ name }) => name),
  };
  const required = [...read('deploy', 'caddy', 'Caddyfile').matchAll(/\{\$(\w+)\}/g)].map(([, name]) => name);
  return Object.entries(given).flatMap(([file, names]) =>
    required.filter((name) => !names.includes(name)).map((name) => `${file}: the edge lacks ${name}`),
  );
}

/** Default deny in both directions, and an ingress policy for each port that a deployment serves. */
function networkProblems(manifests) {
  const found = [];
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
  const deniesAll = policies.some(
    (spec) =>
      ['Ingress', 'Egress'].every((type) => spec.policyTypes.includes(type)) && !spec.ingress && !spec.egress,
  );
  if (!deniesAll) found.push('Kubernetes: no NetworkPolicy denies everything by default');
  for (const { kind, spec } of manifests) {
    if (kind !== 'Deployment') continue;
    const { labels } = spec.template.metadata;
    for (const { containerPort } of spec.template.spec.containers.flatMap(({ ports }) => ports ?? [])) {
      const isReachable = policies.some(
        ({ podSelector, ingress = [] }) =>
          podSelector.matchLabels?.part === labels.part &&
          ingress.some(({ from, ports }) => from && ports.some(({ port }) => port === containerPort)),
      );
      if (!isReachable)
        found.push(`Kubernetes: no NetworkPolicy lets anybody reach ${labels.part}:${containerPort}`);
    }
  }
  return found;
}

/** Trusted proxies choose the client address, so their range is narrow and named once. */
function proxyProblems(manifests) {
  const ranges = manifests.flatMap(({ data }) => data?.TRUSTED_PROXIES?.split(',') ?? []);
  if (ranges.length === 0) return ['Kubernetes: TRUSTED_PROXIES is missing'];
  const text = read('deploy', 'kubernetes', 'consent-service.yaml');
  return ranges.flatMap((range) => [
    ...(Number(range.split('/')[1] ?? 32) < WIDEST_PREFIX
      ? [`Kubernetes: ${range} is too wide to be trusted`]
      : []),
    ...(text.split(range).length > 2 ? [`Kubernetes: ${range} is named in two places`] : []),
  ]);
}

/** The hardening of the image's containers; PostgreSQL and Redis only must not gain privileges. */
function hardeningProblems(services) {
  return Object.entries(services).flatMap(([name, service]) => {
    const isOurs = service.image.startsWith('consent-service');
    const required = {
      'no-new-privileges': service.security_opt?.includes('no-new-privileges:true'),
      ...(isOurs && {
        'cap_drop: [ALL]': service.cap_drop?.includes('ALL') && !service.cap_add,
        read_only: service.read_only === true && service.tmpfs?.includes('/tmp'),
      }),
    };
    return Object.entries(required)
      .filter(([, holds]) => !holds)
      .map(([what]) => `compose: ${name} lacks ${what}`);
  });
}
