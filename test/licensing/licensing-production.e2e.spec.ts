import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareDatabase } from '../../src/programs/start-database.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { writeSubscription } from '../support/people/subscription.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://x.example' });
});
afterAll(() => service.close());

describe('production (spec §4.5)', () => {
  it('has no route to simulate a tier, whoever asks', async () => {
    expect(service.settings.service.production).toBe(true);
    const project = await createTestProject(service);
    const notFound = { status: 404, code: 'not_found' };
    for (const role of ['viewer', 'editor', 'owner'] as const) {
      const response = await project.request(role, 'POST', '/tier/simulate', { tier: 'pro' });
      expect(await response.json()).toMatchObject(notFound);
    }
    const path = `${service.baseUrl}/v1/projects/${project.id}/tier/simulate`;
    expect(await (await fetch(path, { method: 'POST' })).json()).toMatchObject(notFound);
    expect(await service.database.query('select 1 from subscription')).toEqual([]);
    expect((await project.request('viewer', 'GET', '/tier')).status).toBe(200);
  });

  it('does not start with a simulated subscription', async () => {
    const { settings } = service;
    const database = { ...settings.database, databaseOwnerUrl: service.database.ownerUrl };
    // Every process awaits this before it starts.
    const start = (): Promise<void> => prepareDatabase({ ...settings, database });
    const project = await createTestProject(service);
    await writeSubscription(service, project.id);
    await start();
    await writeSubscription(service, project.id, { provider: 'simulated', externalId: project.id });
    await expect(start()).rejects.toThrow('1 simulated subscription');
  });
});
