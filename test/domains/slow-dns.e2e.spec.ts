import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createHttpApp } from '../../src/programs/http-app.js';
import { closeStarted } from '../../src/programs/http-server.js';
import { claimDue, DUE_PER_ACCOUNT_MAX } from '../../src/modules/domains/infrastructure/domain.rows.js';
import { newId } from '../../src/platform/identity/ids.js';
import { type DomainWorld, startDomainWorld } from '../support/people/custom-domain.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { until } from '../support/until.js';

/** A check takes until its deadline; tests only wait for events before it. */
const NET_MS = 120_000;
/** Of one account: more than checks run at the same time. */
const HOSTILE_HOSTS = 60;
const HOSTILE_PROJECTS = 12;
/** Below the time-out of a query. */
const CAA_ANSWER_MS = 1_800;

let world: DomainWorld;

beforeAll(async () => {
  world = await startDomainWorld({
    EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_SEAL_SECONDS: '1',
  });
}, NET_MS);
afterAll(() => world.close());

/** Makes one account the owner of a project. */
async function own(userId: string, { id }: TestProject): Promise<void> {
  await world.service.database.query(
    `insert into project_member (project_id, user_id, role) values ($1, $2, 'owner')`,
    [id, userId],
  );
}

async function makeAccount(): Promise<string> {
  const id = newId();
  await world.service.database.query(`insert into app_user (id, name, email) values ($1, 'Ada', $2)`, [
    id,
    `${id}@example.com`,
  ]);
  return id;
}

/** Due hosts whose name servers never answer. */
async function addSilentHosts(): Promise<string[]> {
  const account = await makeAccount();
  const hosts: string[] = [];
  for (let n = 0; n < HOSTILE_PROJECTS; n += 1) {
    const domain = `silent${n}.example`;
    const project = await createTestProject(world.service, { domains: [domain] });
    await own(account, project);
    for (let host = 0; host < HOSTILE_HOSTS / HOSTILE_PROJECTS; host += 1) {
      const hostname = `c${host}.${domain}`;
      world.records[hostname] = null;
      world.records[`_service-challenge.${hostname}`] = null;
      hosts.push((await world.add(project, hostname)).hostname);
    }
  }
  return hosts;
}

describe('an account whose name servers do not answer', () => {
  let worker: NestExpressApplication | undefined;
  // As the program stops it: a check in progress does not delay the stop.
  afterAll(() => worker && closeStarted(Promise.resolve(worker)));

  it(
    'delays neither sealing nor the checks of another account',
    async () => {
      await addSilentHosts();
      const project = await createTestProject(world.service, { domains: ['shop.example'] });
      await own(await makeAccount(), project);
      const added = await world.add(project, 'consent.shop.example');
      world.records['consent.shop.example'] = { alias: added.records.cname.value };
      // The hostile account has waited longer.
      await world.service.database.query(
        `update custom_domain set next_check_at = now() - interval '1 day' where hostname like '%silent%'`,
      );
      const em = world.service.database.orm.em.fork();
      await em.begin();
      const claimed = (await claimDue(em, new Date())).map(({ hostname }) => hostname);
      await em.rollback();
      expect(claimed).toHaveLength(DUE_PER_ACCOUNT_MAX + 1);
      expect(claimed).toContain('consent.shop.example');
      worker = await createHttpApp({
        ...world.service.settings,
        app: { ...world.service.settings.app, runWorker: true },
      });
      await worker.init();
      const { database } = world.service;
      const checkedSilent = async (): Promise<number> =>
        (
          await database.query(
            `select from custom_domain where hostname like '%silent%' and checked_at is not null`,
          )
        ).length;
      await until(
        'the run of the checks has begun',
        () => world.server.queries.some((name) => name.includes('silent')),
        NET_MS,
      );
      const { id } = (await (
        await fetch(`${world.service.baseUrl}/v1/projects/${project.id}/consents`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ analytics: true, marketing: false, preferences: false, action: 'custom' }),
        })
      ).json()) as { id: string };
      await until(
        'the record is sealed',
        async () =>
          (await database.query('select from evidence_leaf where project_id = $1', [project.id])).length >
            0 && id !== '',
        NET_MS,
      );
      await until(
        'the other account’s host is checked',
        async () => (await world.read(project, added.id)).state === 'verified',
        NET_MS,
      );
      expect(await checkedSilent()).toBeLessThan(HOSTILE_HOSTS);
    },
    2 * NET_MS,
  );
});

it(
  'a check by hand ends at the deadline of a host, with CAA records that are not known',
  async () => {
    const project = await createTestProject(world.service, { domains: ['slow.example'] });
    const { id } = await world.add(project, 'a.b.c.d.e.slow.example');
    // In turn from the host to the registrable domain: six answers take longer than the deadline, one does not.
    world.server.answerAfter(CAA_ANSWER_MS);
    const response = await project.request('editor', 'POST', `/domains/${id}/check`);
    world.server.answerAfter(0);
    expect(await response.json()).toMatchObject({
      problem: 'no_record',
      certificate: { caaKnown: false, caaIssuers: null, caaForbids: false },
    });
  },
  NET_MS,
);
