import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestProject } from '../support/people/project.js';
import { insertTestScan } from '../support/people/scan.js';
import { reportTestScanner } from '../support/programs/scanner.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

it('counts scans that wait, run and ended, the age of the oldest, and scanners', async () => {
  const query = service.database.query.bind(service.database);
  for (const status of ['queued', 'running', 'failed', 'completed', 'completed'] as const) {
    const { id: projectId } = await createTestProject(service, { domains: ['shop.example'] });
    const id = await insertTestScan(query, projectId, { items: [] });
    const isOpen = status === 'queued' || status === 'running';
    await query(
      `update scan set status = $2, created_at = now() - interval '90 seconds', ended_at = case when $3 then null else now() end
       where id = $1`,
      [id, status, isOpen],
    );
  }
  // Ended too long ago.
  const { id: projectId } = await createTestProject(service);
  const id = await insertTestScan(query, projectId, { items: [] });
  await query(`update scan set ended_at = now() - interval '25 hours' where id = $1`, [id]);
  await reportTestScanner(service);
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  const value = (name: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  expect(['scans_queued', 'scans_running', 'scanners_running'].map((name) => value(name))).toEqual([1, 1, 1]);
  expect(value('scans_ended_day{status="completed"}')).toBe(2);
  expect(value('scans_ended_day{status="failed"}')).toBe(1);
  expect(value('scans_ended_day{status="canceled"}')).toBe(0);
  expect(value('scans_oldest_queued_age_seconds')).toBeGreaterThanOrEqual(90);
  expect(value('scans_oldest_queued_age_seconds')).toBeLessThan(150);
});
