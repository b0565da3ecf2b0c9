import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { ConsentHooks } from '../../src/modules/consent/consent.hooks.js';
import { newId } from '../../src/platform/identity/ids.js';
import { messageAbout, storeConsent } from '../support/people/consent.js';
import { idsAt, OTHER_TOKEN, POLL_MS, startForwarding } from '../support/people/forwarding.js';
import {
  deliveriesOf,
  read,
  saveForwarding,
  settled,
  simulateTier,
  TOKEN,
} from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { until } from '../support/until.js';

const forwarding = await startForwarding({ worker: true });
const {
  announcedIds,
  choose,
  chooseAndArrive,
  forward,
  forwardOne,
  forwardingProject,
  forwardingTo,
  get,
  otherReceiver,
  proProject,
  put,
  receive,
  service,
  sharedReceiver,
} = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

describe('where forwarding is off no message is written (spec §6, §8)', () => {
  it.each<[string, string, (url: string) => Promise<TestProject>]>([
    ['switched off', 'off', (url) => forwardingTo(url, { enabled: false, bearerToken: TOKEN })],
    [
      'on the tier lite',
      'tier',
      async (url) => {
        const project = await forwardingTo(url);
        await simulateTier(project, 'lite');
        return project;
      },
    ],
    [
      'without an endpoint',
      'off',
      async () => {
        const project = await createTestProject(service);
        await simulateTier(project, 'business');
        return project;
      },
    ],
    ['never set up', 'tier', () => createTestProject(service)],
  ])('%s, and the record says so: %s', async (_, reason, make) => {
    const receiver = await receive();
    const project = await make(receiver.url);
    const { status, id } = await choose(project.id);
    expect(status).toBe(201);
    expect(await announcedIds(project.id)).toEqual([]);
    expect(await read(project, `/consents/${id}`)).toMatchObject({
      id,
      delivery: { outcome: 'unsent', reason },
    });
    expect(await deliveriesOf(project)).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  it('and records of that time are not sent when it is switched on later (spec §3.3)', async () => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url, {
      enabled: false,
      bearerToken: TOKEN,
    });
    await choose(project.id);
    await saveForwarding(project, { endpointUrl: receiver.url });
    const switchedOnMs = performance.now();
    await until('three polls', () => performance.now() - switchedOnMs > 3 * POLL_MS);
    const { id } = await choose(project.id);
    await settled(project, id);
    expect(idsAt(receiver)).toEqual([id]);
  });

  it.each(['pro', 'business', 'enterprise'])('and the tier %s has it on (spec §8)', async (tier) => {
    const receiver = await receive();
    const project = await forwardingTo(receiver.url);
    await simulateTier(project, tier);
    await chooseAndArrive(project, receiver);
  });
});

describe('which records are announced (spec §6)', () => {
  const reasonNot = async (
    projectId: string,
    customEndpoint: string | null = null,
  ): Promise<string | null> => {
    const { forwardingPredicate } = service.app.get(ConsentHooks, { strict: false }).current;
    const reason = forwardingPredicate({
      projectId: sql.ref('p.id'),
      tier: sql.ref('p.tier'),
      customEndpoint: sql.ref('input.custom_endpoint'),
    });
    const { rows } = await sql<{ reason: string | null }>`
      select (${reason}) as reason
      from project p, (select ${customEndpoint}::text as custom_endpoint) as input
      where p.id = ${projectId}
    `.execute(service.database.orm.em.fork().getKysely());
    return rows[0]?.reason ?? null;
  };

  it('those of projects that forward, on tiers that may', async () => {
    const project = await forwardingProject();
    expect(await reasonNot(project.id)).toBeNull();
    await put(project, { enabled: false });
    expect(await reasonNot(project.id, otherReceiver.url)).toBe('off');
    await put(project, { enabled: true });
    await service.database.query(`update project set tier = 'lite' where id = $1`, [project.id]);
    expect(await reasonNot(project.id)).toBe('tier');
  });

  it('those with an endpoint of their own, where the project has none', async () => {
    const project = await proProject();
    expect(await reasonNot(project.id)).toBe('off');
    expect(await reasonNot(project.id, otherReceiver.url)).toBeNull();
    const lite = await createTestProject(service);
    expect(await reasonNot(lite.id, otherReceiver.url)).toBe('tier');
  });

  it('none once forwarding was saved as off, and those with an endpoint of their own where that was allowed', async () => {
    const project = await proProject();
    await put(project, { enabled: false, endpointUrl: null, authMode: 'none' });
    expect(await reasonNot(project.id, otherReceiver.url)).toBe('off');
    await put(project, { endpointUrl: null, authMode: 'none', allowCustomEndpoint: true });
    expect(await reasonNot(project.id, otherReceiver.url)).toBeNull();
    expect(await reasonNot(project.id)).toBe('off');
  });

  it('a resend locks the settings of a project that never saved any, and saves none', async () => {
    const project = await proProject();
    const consentId = await storeConsent(service, project.id);
    await project.request('editor', 'POST', `/forwarding/deliveries/${consentId}/resend`);
    expect(await reasonNot(project.id, otherReceiver.url)).toBeNull();
    expect((await get(project)).body).toMatchObject({ enabled: false, allowCustomEndpoint: true });
  });
});

describe('whether a record is sent (spec §2.2, §6, §8)', () => {
  it('is decided with the settings of the moment, not of the announcement', async () => {
    const project = await forwardingProject();
    const message = messageAbout(project.id, await storeConsent(service, project.id));
    await put(project, { enabled: false });
    expect(await forward([message])).toMatchObject([{ outcome: 'skipped', reason: 'disabled' }]);
    await put(project, { enabled: true });
    expect(await forward([message])).toMatchObject([{ outcome: 'delivered' }]);
    expect(sharedReceiver.requests).toHaveLength(1);
  });

  it('is skipped where the tier went below Pro', async () => {
    const project = await forwardingProject();
    await service.database.query(`update project set tier = 'lite' where id = $1`, [project.id]);
    expect(await forwardOne(project)).toMatchObject({ outcome: 'skipped', reason: 'tier' });
    expect(sharedReceiver.requests).toEqual([]);
  });

  it('is skipped without an endpoint, and where the record or the project is gone', async () => {
    const project = await proProject();
    expect(await forwardOne(project)).toMatchObject({ outcome: 'skipped', reason: 'no_endpoint' });
    expect(await forward([messageAbout(project.id, newId())])).toMatchObject([{ reason: 'record_gone' }]);
    expect(await forward([messageAbout(newId(), newId())])).toMatchObject([{ reason: 'record_gone' }]);
  });

  it('sends the messages of many projects to each their own endpoint', async () => {
    const own = await forwardingProject();
    const other = await forwardingProject({ endpointUrl: otherReceiver.url, bearerToken: OTHER_TOKEN });
    const ids = [await storeConsent(service, own.id), await storeConsent(service, other.id)] as const;
    await forward([messageAbout(own.id, ids[0]), messageAbout(other.id, ids[1])]);
    expect(sharedReceiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([ids[0]]);
    expect(otherReceiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([ids[1]]);
    expect(otherReceiver.requests[0]?.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it('fails where the key of the stored token is gone', async () => {
    const project = await forwardingProject();
    await service.database.query(
      `update forwarding_settings set token_key_id = 'gone' where project_id = $1`,
      [project.id],
    );
    expect(await forwardOne(project)).toMatchObject({ outcome: 'failed', category: 'configuration' });
    expect(sharedReceiver.requests).toEqual([]);
  });

  it("does not open a token in another project's row", async () => {
    const project = await forwardingProject();
    const thief = await forwardingProject({ bearerToken: OTHER_TOKEN });
    await service.database.query(
      `update forwarding_settings t set token_ciphertext = s.token_ciphertext
       from forwarding_settings s where t.project_id = $1 and s.project_id = $2`,
      [thief.id, project.id],
    );
    expect(await forwardOne(thief)).toMatchObject({ outcome: 'failed', category: 'configuration' });
    expect(sharedReceiver.requests).toEqual([]);
  });
});
