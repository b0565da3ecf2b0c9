import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboxClaimer } from '../../src/outbox/infrastructure/outbox.claimer.js';
import { newId } from '../../src/shared/ids.js';
import { startTestService, type TestService } from '../support/service.js';

/** Enough that a plan which reads all of them for each message claimed takes seconds; read in order, some ms. */
const WAITING = 20_000;
const PROJECTS = 20;
const LIMIT = 256;
const CLAIM_MS_MAX = 500;
const REQUEST = {
  topics: ['consent.recorded'],
  gatedTopics: ['consent.recorded'],
  limit: LIMIT,
  limitPerKey: LIMIT,
  freeOf: new Map<string, number>(),
  freeOfTopic: new Map<string, number>(),
  afterKey: '00000000-0000-0000-0000-000000000000',
};

describe('the plan of a claim', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('serves a backlog as well when it was made while the outbox was empty', async () => {
    const claimer = new OutboxClaimer(service.settings.outbox, service.settings.database);
    try {
      // An idle worker: the plan is made for an empty table, and kept as long as nobody analyses it.
      await service.database.query('alter table outbox_message set (autovacuum_enabled = off)');
      await service.database.query('vacuum analyze outbox_message');
      expect((await claimer.claim(REQUEST)).messages).toHaveLength(0);
      await service.database.query(
        `insert into outbox_message (project_id, topic, subject_id)
         select ($1::uuid[])[1 + n % ${PROJECTS}], 'consent.recorded', gen_random_uuid() from generate_series(1, $2::int) n`,
        [Array.from({ length: PROJECTS }, () => newId()), WAITING],
      );
      const startedMs = performance.now();
      const { messages } = await claimer.claim(REQUEST);
      const tookMs = performance.now() - startedMs;
      expect(messages).toHaveLength(LIMIT);
      expect(tookMs).toBeLessThan(CLAIM_MS_MAX);
    } finally {
      await claimer.onApplicationShutdown();
    }
  });
});
