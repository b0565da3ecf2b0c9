import { afterAll, expect, it } from '@jest/globals';
import { idsAt, startForwarding } from '../support/people/forwarding.js';
import { deliveriesOf, read } from '../support/programs/pipeline.js';
import type { ReceivedRequest } from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const PROJECTS = 20;
const RECORDS = 1_800;
const OUTAGE_MS = 60_000;
const REFUSED_MAX = 10;

const forwarding = await startForwarding({
  worker: true,
  // The defaults. After a shorter timeout, a busy machine would retry records that the receiver has.
  environment: {
    FORWARDING_SLOTS: '256',
    FORWARDING_TIMEOUT_MS: '15000',
    FORWARDING_CONNECT_TIMEOUT_MS: '5000',
  },
});
const { choose, forwardingTo, receive } = forwarding;
afterAll(forwarding.close);

it('an outage of 60 seconds costs no record, and no project more than 10 refused requests', async () => {
  const receiver = await receive({ kind: 'answer', status: 503 });
  const projects = await Promise.all(
    Array.from({ length: PROJECTS }, () =>
      forwardingTo(receiver.url, { authMode: 'none', retryFailures: { enabled: true } }),
    ),
  );
  const ids: string[] = [];
  const beganMs = performance.now();
  for (let sent = 0; sent < RECORDS; sent++) {
    const dueMs = beganMs + (sent / RECORDS) * OUTAGE_MS;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((wake) => setTimeout(wake, waitMs));
    ids.push((await choose(projects[sent % PROJECTS]?.id ?? '')).id);
  }
  const refused = receiver.requests.splice(0);
  receiver.behave({ kind: 'answer', status: 204 });
  // `npm run bench -- outage` measures how long it takes.
  await until('everything is delivered', () => receiver.requests.length >= RECORDS);

  const most = Math.max(...[...Map.groupBy(refused, projectOf).values()].map(({ length }) => length));
  expect(most).toBeLessThanOrEqual(REFUSED_MAX);
  expect(idsAt(receiver).toSorted()).toEqual(ids.toSorted());
  for (const project of projects) {
    await until('nothing waits', async () => (await read(project, '/forwarding'))['pending'] === 0);
    const log = await deliveriesOf(project);
    expect(log.filter(({ outcome }) => outcome === 'delivered')).toHaveLength(RECORDS / PROJECTS);
  }
});

function projectOf({ headers }: ReceivedRequest): unknown {
  return headers['x-service-project-id'];
}
