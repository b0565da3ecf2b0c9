import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { readSettings } from '../../src/programs/settings.js';

const FOLDER = join('deploy', 'cells');
const CELLS = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const SECRETS = {
  SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  AUTH_SECRET: 'x'.repeat(40),
  EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
};

interface Kustomization {
  namespace: string;
  patches: { patch: string }[];
}

const kustomization = (cell: string): Kustomization =>
  load(readFileSync(join(FOLDER, cell, 'kustomization.yaml'), 'utf8')) as Kustomization;

function environmentsOf(cell: string): Record<string, string>[] {
  const compose = parseEnv(readFileSync(join(FOLDER, cell, 'cell.env'), 'utf8'));
  const [{ patch } = { patch: '' }] = kustomization(cell).patches;
  const { data } = load(patch) as { data: Record<string, string> };
  return [compose as Record<string, string>, data];
}

describe.each(CELLS)('deploy/cells/%s', (cell) => {
  it('has settings that the service accepts, with the origin that CELLS has for it', () => {
    for (const environment of environmentsOf(cell)) {
      const { service } = readSettings({
        NODE_ENV: 'production',
        DATABASE_URL: 'postgres://service_runtime:x@postgres:5432/service',
        ...SECRETS,
        ...environment,
      });
      expect(service.cells.map(({ name }) => name).toSorted()).toEqual(CELLS.toSorted());
      expect(service.cells.find(({ name }) => name === cell)?.origin).toBe(service.publicBaseUrl);
    }
  });

  it('shares nothing with the other cells', () => {
    const others = CELLS.filter((other) => other !== cell);
    const own = (of: string): string[] => {
      const [compose = {}, cluster = {}] = environmentsOf(of);
      return [
        ...['COMPOSE_PROJECT_NAME', 'ENV_FILE', 'SECRETS_DIR', 'API_PORT', 'SERVICE_HOST'].map(
          (name) => compose[name] ?? '',
        ),
        ...['STORAGE_URL', 'EVIDENCE_STORAGE_URL'].map((name) => cluster[name] ?? ''),
        kustomization(of).namespace,
      ];
    };
    const values = own(cell);
    expect(values).not.toContain('');
    for (const other of others) expect(own(other).filter((value) => values.includes(value))).toEqual([]);
  });

  it('is read by compose: its variables are those of docker-compose.yml', () => {
    const compose =
      readFileSync('docker-compose.yml', 'utf8') + readFileSync('docker-compose.edge.yml', 'utf8');
    const [environment = {}] = environmentsOf(cell);
    const forCompose = [
      'ENV_FILE',
      'SECRETS_DIR',
      'API_PORT',
      'ACME_EMAIL',
      'SERVICE_HOST',
      'PUBLIC_BASE_URL',
    ];
    for (const name of forCompose) expect(compose).toContain(`\${${name}:`);
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(forCompose));
    expect(environment['ENV_FILE']).toBe(`deploy/cells/${cell}/cell.env`);
  });
});
