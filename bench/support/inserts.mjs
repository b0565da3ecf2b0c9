// A helper: record and outbox row by a prepared statement, one commit each, as many at once as there are
// connections: what pgbench would do with the same statement, through the same driver as the service.
import { Client } from 'pg';
import { v7 } from 'uuid';
import { answerCalls } from './helper.mjs';

const STATEMENT = {
  name: 'insert',
  text: `
    with made as (
      insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, extra)
      values ($1, $2, $3, $4, $5, $6, $7, $8) returning project_id, id
    )
    insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
    select (select part from outbox_opening order by id desc limit 1), project_id, project_id, 'consent.recorded', id from made`,
};
const EXTRA = JSON.stringify({ language: 'de', bannerVersion: '2026-11' });

/** @type {Client[]} */
let clients = [];

answerCalls({
  /** @param {{ databaseUrl: string, connections: number }} args */
  connect: async ({ databaseUrl, connections }) => {
    clients = Array.from({ length: connections }, () => new Client({ connectionString: databaseUrl }));
    await Promise.all(clients.map((client) => client.connect()));
  },
  /** @param {{ projectId: string, seconds: number }} args */
  insert: async ({ projectId, seconds }) => {
    const startedMs = performance.now();
    const endMs = startedMs + seconds * 1000;
    let done = 0;
    const loop = async (/** @type {Client} */ client) => {
      while (performance.now() < endMs) {
        const values = [projectId, v7(), true, false, true, 'custom', 'www.example.com', EXTRA];
        await client.query({ ...STATEMENT, values });
        done += 1;
      }
    };
    await Promise.all(clients.map(loop));
    return { perSecond: (done / (performance.now() - startedMs)) * 1000 };
  },
});
