// Checks what lies in deploy/ and is not run by a test: npm run check:deploy. Kubernetes' manifests against its schemas,
// Prometheus' rules by its own promtool (Debian's package `prometheus`), Grafana's dashboard and the compose file as far
// as they can be read.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const read = (...path) => readFileSync(join(...path), 'utf8');
const problems = [];

const { version } = JSON.parse(read('package.json'));
for (const document of parseAllDocuments(read('deploy', 'kubernetes', 'consent-service.yaml'))) {
  const manifest = document.toJS();
  const name = `${manifest.kind} ${manifest.metadata?.name}`;
  try {
    problems.push(...document.errors);
    const group = manifest.apiVersion.includes('/') ? manifest.apiVersion : `${manifest.apiVersion}`;
    const { [manifest.kind]: Model } = await import(`kubernetes-models/${group}/${manifest.kind}`);
    new Model(manifest).validate();
    for (const { image } of manifest.spec?.template?.spec?.containers ?? [])
      if (image !== `consent-service:${version}`)
        problems.push(`${name} runs ${image}, not version ${version}`);
    console.log(`${name}: as Kubernetes wants it`);
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
  }
}

const compose = parse(read('docker-compose.yml'), { merge: true });
for (const [name, service] of Object.entries(compose.services)) {
  for (const secret of service.secrets ?? [])
    if (!(secret in compose.secrets)) problems.push(`compose: ${name} wants a secret ${secret} that is none`);
  for (const other of Object.keys(service.depends_on ?? {}))
    if (!(other in compose.services)) problems.push(`compose: ${name} waits for ${other}, which is none`);
}
const builds = Object.values(compose.services).filter(({ build }) => build);
if (builds.length !== 1) problems.push('compose: exactly one service builds the image');
JSON.parse(read('deploy', 'grafana', 'consent-service.json'));

const promtool = spawnSync('promtool', ['check', 'rules', join('deploy', 'prometheus', 'alerts.yml')], {
  stdio: 'inherit',
});
if (promtool.error) problems.push('promtool is not installed; on Debian: apt-get install prometheus');
else if (promtool.status !== 0) problems.push('promtool refuses deploy/prometheus/alerts.yml');

for (const problem of problems) console.error(String(problem));
process.exit(problems.length > 0 ? 1 : 0);
