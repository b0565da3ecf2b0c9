import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { arrived, bodyOf, type Forwarding, startForwarding } from '../support/people/forwarding.js';
import { type Delivery, read, type Receipt } from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';
import { evidenceSteps } from '../support/database/evidence-steps.js';
import { until } from '../support/until.js';

const AT_ONCE = 40;
/** An instant that was read wrongly is hours or years away. */
const CLOSE_MS = 30_000;

interface Listed {
  id: string;
  receivedAt: string;
}

/** Settings that an administrator may have made for all databases of a shared server. */
describe.each([
  ['dates are written as in Germany', ["datestyle = 'German'"]],
  [
    'dates are written as in SQL, in the time of Kolkata',
    ["datestyle = 'SQL, DMY'", "timezone = 'Asia/Kolkata'"],
  ],
  ['numbers are written with few digits', ['extra_float_digits = -10']],
  ['transactions are serializable', ["default_transaction_isolation = 'serializable'"]],
  ['a list holds no null', ['array_nulls = off']],
  ['a session that rests is ended', ["idle_session_timeout = '100ms'"]],
  ['transactions repeat their reads', ["default_transaction_isolation = 'repeatable read'"]],
])('a database in which %s', (_, settings) => {
  let forwarding: Forwarding;
  let project: TestProject;
  let receipts: Receipt[];

  beforeAll(async () => {
    forwarding = await startForwarding({
      worker: true,
      environment: {
        EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
        EVIDENCE_SEAL_SECONDS: '3600',
        // Each record is to arrive once: a busy machine is no receiver that does not answer.
        FORWARDING_CONNECT_TIMEOUT_MS: '15000',
        FORWARDING_TIMEOUT_MS: '15000',
      },
      prepare: async ({ url, query }) => {
        const name = new URL(url).pathname.slice(1);
        for (const setting of settings) await query(`alter database ${name} set ${setting}`);
      },
    });
    project = await forwarding.forwardingProject();
    receipts = await Promise.all(Array.from({ length: AT_ONCE }, () => forwarding.choose(project.id)));
  });
  afterAll(() => forwarding.close());

  it('stores records, and tells when they came', async () => {
    expect(new Set(receipts.map(({ status }) => status))).toEqual(new Set([201]));
    for (const { receivedAt } of receipts)
      expect(Math.abs(Date.now() - Date.parse(receivedAt))).toBeLessThan(CLOSE_MS);
    const { items } = await read<{ items: Listed[] }>(project, `/consents?limit=${AT_ONCE}`);
    const told = new Map(receipts.map(({ id, receivedAt }) => [id, receivedAt]));
    expect(new Map(items.map(({ id, receivedAt }) => [id, receivedAt]))).toEqual(told);
  });

  it('forwards each of them, once', async () => {
    for (const { id, receivedAt } of receipts) {
      const request = await arrived(forwarding.sharedReceiver, id);
      expect(bodyOf(request)).toMatchObject({ id, receivedAt });
    }
    await until('all outcomes are written', async () => (await forwarding.waiting(project.id)).length === 0);
    expect(forwarding.sharedReceiver.requests).toHaveLength(AT_ONCE);
    const { items } = await read<{ items: Delivery[] }>(project, `/forwarding/deliveries?limit=${AT_ONCE}`);
    expect(items.map(({ outcome }) => outcome)).toEqual(receipts.map(() => 'delivered'));
  });

  it('seals them', async () => {
    const steps = evidenceSteps(forwarding.service);
    // The worker also sequences and signs: it may hold both locks, or sign entries sequenced here.
    await until('they are signed', async () => {
      await steps.seal(project.id);
      return (await read<{ size: number }>(project, '/log')).size === AT_ONCE;
    });
    expect(await read(project, '/log')).toMatchObject({ size: AT_ONCE, refusal: null });
  });

  it('ends none of the sessions', async () => {
    const [ended] = await forwarding.service.database.query<{ fatal: string }>(
      'select sessions_fatal::text as fatal from pg_stat_database where datname = current_database()',
    );
    expect(ended).toEqual({ fatal: '0' });
  });
});
