import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { insertPastRecords, preparePast } from '../../consent/application/past-records.js';
import { hasRecordsMarked } from '../../consent/infrastructure/past-record.rows.js';
import { insertPastDeliveries, prepareLog } from '../../forwarding/application/past-deliveries.js';
import { sequenceSince } from '../../evidence/infrastructure/cursor.rows.js';
import { findDemoProject, nameDomains } from '../../projects/project.rows.js';
import { datePublications, readPublications } from '../../publishing/infrastructure/publication.rows.js';
import { OperatorError } from '../../shared/operator-command.js';
import { addVisits } from '../../visits/infrastructure/visit-rows.js';
import { demoDomains } from '../domain/demo-domains.js';
import {
  DEMO_FIELD,
  demoHistory,
  HISTORY_DAYS,
  LOG_DAYS,
  SECOND_PUBLICATION_DAYS_AGO,
} from './demo-history.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const VISIT_ROWS_AT_ONCE = 1_000;
const PUBLISH_DEADLINE_MS = 20_000;
const POLL_MS = 200;

interface Credentials {
  baseUrl: string;
  projectId: string;
  apiKeys: { editor: string };
  receiverUrl: string;
}

/** The generated data. */
export interface Filled {
  records: number;
  deliveries: number;
  visits: number;
}

/**
 * Gives the demo project a past, once: a second publication over the API of the running service, which listens on
 * `host`, and what lies in the past into the tables, each marked as made up by the additional field `demo`; and names
 * the domains that it comes from.
 * @throws OperatorError where there is no demo, or it has a past already
 */
export async function fillDemo(
  em: EntityManager,
  { dataDir, host }: { dataDir: string; host: string },
): Promise<Filled> {
  const now = new Date();
  const projectId = await findDemoProject(em.fork());
  const file = join(dataDir, 'dev-credentials.json');
  if (projectId === null || !existsSync(file))
    throw new OperatorError('No demo project found. Start the service with "npm start" first.');
  if (await hasRecordsMarked(em.fork(), projectId, DEMO_FIELD))
    throw new OperatorError('The demo project already has generated records.');
  const credentials = JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  await publishSecond(em, projectId, credentials);
  const from = new Date(now.getTime() - HISTORY_DAYS * DAY_MS);
  await preparePast(em, now);
  await prepareLog(em, new Date(now.getTime() - LOG_DAYS * DAY_MS), now);
  return em.fork().transactional(async (tx) => {
    const [first, second] = (await readPublications(tx, projectId)).slice(-2);
    const history = demoHistory({
      now,
      hashes: [first?.contentHash ?? null, (second ?? first)?.contentHash ?? null],
      receiverHost: new URL(credentials.receiverUrl).host,
    });
    if (first && second)
      await datePublications(tx, projectId, [
        { version: first.version, at: new Date(from.getTime() - DAY_MS) },
        { version: second.version, at: new Date(now.getTime() - SECOND_PUBLICATION_DAYS_AGO * DAY_MS) },
      ]);
    await insertPastRecords(tx, projectId, history.records);
    await sequenceSince(tx, from);
    await insertPastDeliveries(tx, projectId, history.deliveries);
    const visits = history.visits.map((row) => ({ ...row, projectId }));
    for (let at = 0; at < visits.length; at += VISIT_ROWS_AT_ONCE)
      await addVisits(tx, visits.slice(at, at + VISIT_ROWS_AT_ONCE));
    const domains = demoDomains([host, new URL(credentials.baseUrl).hostname]);
    if (domains) await nameDomains(tx, projectId, domains);
    return {
      records: history.records.length,
      deliveries: history.deliveries.length,
      visits: visits.reduce((sum, row) => sum + (row.dimension === 'device' ? row.visits : 0), 0),
    };
  });
}

/** Saves the configuration with another text, as its editor would, and waits until it is published. */
async function publishSecond(em: EntityManager, projectId: string, credentials: Credentials): Promise<void> {
  const address = `${credentials.baseUrl}/v1/projects/${projectId}/configuration`;
  const headers = {
    authorization: `Bearer ${credentials.apiKeys.editor}`,
    'content-type': 'application/json',
  };
  const before = await readPublications(em.fork(), projectId);
  const answer = await fetch(address, { headers }).catch(() => null);
  if (!answer?.ok)
    throw new OperatorError(`The service does not respond at ${credentials.baseUrl}. Start it first.`);
  const { texts, banner, services, policyUrl } = (await answer.json()) as {
    texts: { language: string; title: string }[];
    banner: object;
    services: object[];
    policyUrl: string | null;
  };
  const body = {
    ...{ banner, services, policyUrl, bannerVersion: '2', comment: 'The shop’s name in the title' },
    texts: texts.map((text) => ({
      ...text,
      title: `Cookies ${text.language === 'de' ? 'bei' : 'at'} Kettle & Leaf`,
    })),
  };
  const saved = await fetch(address, { method: 'PUT', headers, body: JSON.stringify(body) });
  if (!saved.ok) throw new OperatorError(`The second publication was rejected (${saved.status}).`);
  const deadline = performance.now() + PUBLISH_DEADLINE_MS;
  while ((await readPublications(em.fork(), projectId)).length <= before.length) {
    if (performance.now() > deadline) throw new OperatorError('Nothing was published. Is a worker running?');
    await sleep(POLL_MS);
  }
}
