import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScannerMetrics } from '../../src/scanner/scanner.metrics.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true' });
});

afterAll(() => service.close());

const scrape = async (): Promise<string> => (await fetch(`${service.baseUrl}/metrics`)).text();

/**
 * Every metric of ours, including scanners', with its help. Node's and the process's own are from
 * the library.
 */
async function ownMetrics(): Promise<{ name: string; help: string }[]> {
  const [own, scanner] = await Promise.all(
    [service.app.get(Metrics), new ScannerMetrics()].map(({ registry }) => registry.getMetricsAsJSON()),
  );
  return [...(own ?? []), ...(scanner ?? [])]
    .filter(({ name }) => !/^(nodejs|process)_/.test(name))
    .map(({ name, help }) => ({ name, help }));
}

describe('/metrics', () => {
  it('counts requests by the pattern of their route, and nothing that a client chose', async () => {
    await fetch(`${service.baseUrl}/v1/projects/01a1fec8-570f-715b-b2b3-e89dce8cae7b/forwarding`);
    await fetch(`${service.baseUrl}/some/address/of/a/stranger?token=abc`, { method: 'PROPFIND' });
    await fetch(`${service.baseUrl}/v1/pricing`);
    const text = await scrape();
    const counts = [...text.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)].map(
      ([, labels, count]) => `${labels} ${count}`,
    );
    expect(counts).toEqual(
      expect.arrayContaining([
        'method="GET",route="/v1/projects/:projectId/forwarding",status="401" 1',
        'method="GET",route="/v1/pricing",status="200" 1',
      ]),
    );
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="other",route="none",status="40\d"\} 1/,
    );
    expect(text).not.toMatch(/stranger|01a1fec8|abc/);
  });

  it('tells the version and that the queue is there', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const text = await scrape();
    expect(text).toContain(`build_info{version="${version}",node="${process.versions.node}"} 1`);
    expect(text).toMatch(/^queue_up 1$/m);
  });

  it('is described in docs/metrics.md, each metric with its help and none that is gone', async () => {
    const rows = [
      ...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(\w+)`\s*\|[^|]*\|\s*(.*?)\s*\|$/gm),
    ];
    const described = new Map(rows.map(([, name = '', help = '']) => [name, help]));
    expect([...described.keys()].toSorted()).toEqual((await ownMetrics()).map(({ name }) => name).toSorted());
    for (const { name, help } of await ownMetrics())
      expect({ name, help: described.get(name) }).toEqual({ name, help });
  });

  it.each(['deploy/prometheus/alerts.yml', 'deploy/grafana/consent-service.json'])(
    'has every metric that %s asks for',
    async (file) => {
      const names = new Set((await ownMetrics()).map(({ name }) => name));
      const asked = [...readFileSync(file, 'utf8').matchAll(/\b([a-z]+(?:_[a-z]+)+)(?=[{[)\s])/g)]
        .map(([, name = '']) => name.replace(/_(bucket|count|sum)$/, ''))
        .filter((name) =>
          /^(build|queue|http|ingest|outbox|forwarding|billing|publishing|maintenance|database|consent|events|evidence|scanner)_/.test(
            name,
          ),
        );
      expect(asked.length).toBeGreaterThan(5);
      expect([...new Set(asked)].filter((name) => !names.has(name))).toEqual([]);
    },
  );
});
