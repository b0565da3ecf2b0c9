import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { arrived, idsAt, OTHER_TOKEN, resendOne, startForwarding } from '../support/people/forwarding.js';
import { read, saveForwarding, settled, simulateTier } from '../support/programs/pipeline.js';
import { until } from '../support/until.js';

/** Longer than any test waits for a response; a test that needs less releases its receiver. */
const HANGING_MS = 20_000;

const forwarding = await startForwarding({
  worker: true,
  environment: {
    FORWARDING_CONNECT_TIMEOUT_MS: String(HANGING_MS),
    FORWARDING_TIMEOUT_MS: String(HANGING_MS),
  },
});
const { choose, chooseAndArrive, forwardingTo, occupy, receive, service } = forwarding;

afterEach(forwarding.resetReceivers);
afterAll(forwarding.close);

describe('settings that change while records wait (spec §6)', () => {
  it('another endpoint: the newest one counts', async () => {
    const hanging = await receive({ kind: 'hang' });
    const next = await receive();
    const project = await forwardingTo(hanging.url);
    const held = await occupy(project, hanging);
    const waiting = await choose(project.id);
    await saveForwarding(project, { endpointUrl: next.url, bearerToken: OTHER_TOKEN });
    hanging.disconnect();
    const request = await arrived(next, waiting.id);
    expect(request.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
    expect(idsAt(hanging).toSorted()).toEqual(held.map(({ id }) => id).toSorted());
  });

  it('another token: the newest one is sent', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await forwardingTo(receiver.url);
    await occupy(project, receiver);
    const waiting = await choose(project.id);
    await saveForwarding(project, { endpointUrl: receiver.url, bearerToken: OTHER_TOKEN });
    receiver.behave({ kind: 'answer', status: 204 });
    receiver.disconnect();
    const request = await arrived(receiver, waiting.id);
    expect(request.headers.authorization).toBe(`Bearer ${OTHER_TOKEN}`);
  });

  it('switched off: they are skipped, and can be sent by hand once it is on again', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await forwardingTo(receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(project.id);
    await saveForwarding(project, { endpointUrl: receiver.url, enabled: false });
    receiver.disconnect();
    expect(await settled(project, id)).toMatchObject({ outcome: 'skipped', reason: 'disabled' });
    receiver.behave({ kind: 'answer', status: 204 });
    await saveForwarding(project, { endpointUrl: receiver.url });
    expect(await resendOne(project, id)).toEqual({ status: 202, body: { queued: 1 } });
    expect(await settled(project, id, 2)).toMatchObject({ outcome: 'delivered' });
  });

  it('the endpoint taken away: they are skipped', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await forwardingTo(receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(project.id);
    await saveForwarding(project, { endpointUrl: null, enabled: false });
    receiver.disconnect();
    expect(await settled(project, id)).toMatchObject({ outcome: 'skipped', reason: 'no_endpoint' });
  });

  it('a lower tier: they are skipped, and can be sent by hand after the upgrade', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await forwardingTo(receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(project.id);
    await simulateTier(project, 'lite');
    receiver.disconnect();
    expect(await settled(project, id)).toMatchObject({ outcome: 'skipped', reason: 'tier' });
    expect(await read(project, '')).toMatchObject({ tier: 'lite' });
    expect(await resendOne(project, id)).toMatchObject({ status: 403, body: { code: 'tier_required' } });
    receiver.behave({ kind: 'answer', status: 204 });
    await simulateTier(project, 'pro');
    expect(await resendOne(project, id)).toEqual({ status: 202, body: { queued: 1 } });
    expect(await settled(project, id, 2)).toMatchObject({ outcome: 'delivered' });
  });

  it('a deleted project: nothing more is sent, and others go on', async () => {
    const receiver = await receive({ kind: 'hang' });
    const project = await forwardingTo(receiver.url);
    await occupy(project, receiver);
    const { id } = await choose(project.id);
    expect((await project.request('owner', 'DELETE', '')).status).toBe(204);
    receiver.behave({ kind: 'answer', status: 204 });
    receiver.disconnect();
    const other = await forwardingTo(receiver.url);
    await chooseAndArrive(other, receiver);
    await until('the outbox to be empty', async () => {
      const rows = await service.database.query('select 1 from outbox_message where project_id = $1', [
        project.id,
      ]);
      return rows.length === 0;
    });
    expect(idsAt(receiver)).not.toContain(id);
  });
});

describe('a receiver that hangs (spec §1)', () => {
  it("does not delay other projects' records, nor its own visitors", async () => {
    const hanging = await receive({ kind: 'hang' });
    const healthy = await receive();
    const slow = await forwardingTo(hanging.url);
    const other = await forwardingTo(healthy.url);
    await occupy(slow, hanging);
    const waiting = await Promise.all(Array.from({ length: 20 }, () => choose(slow.id)));
    expect(waiting.every(({ status }) => status === 201)).toBe(true);
    for (let i = 0; i < 5; i++) {
      await chooseAndArrive(other, healthy);
    }
    expect(await service.database.query('select 1 from delivery where project_id = $1', [slow.id])).toEqual(
      [],
    );
    hanging.behave({ kind: 'answer', status: 204 });
    hanging.disconnect();
    for (const { id } of waiting) await arrived(hanging, id);
  });
});
