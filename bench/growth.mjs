// Growth: how the costs change with the records that are there, the messages that wait, partitions and projects.
// `npm run bench -- growth --part waiting --scale 0.1` does one part, of a tenth of the counts.
import { ingestWithRecords } from './growth/ingest.mjs';
import { yearOfRecords } from './growth/year.mjs';
import { partitionsPresentAndDropped } from './growth/partitions.mjs';
import { manyProjects } from './growth/projects.mjs';
import { messagesWaiting } from './growth/waiting.mjs';
import { startDatabase } from './support/database.mjs';
import { printTable } from './support/report.mjs';

const PARTS = {
  year: yearOfRecords,
  ingest: ingestWithRecords,
  partitions: partitionsPresentAndDropped,
  projects: manyProjects,
  waiting: messagesWaiting,
};
const DEADLINE_OF_A_PART_MS = 40 * 60_000;

/** @param {{ part?: string[] }} options */
export const deadlineMs = ({ part }) => (part?.length ?? Object.keys(PARTS).length) * DEADLINE_OF_A_PART_MS;
export const title = 'Growth';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {{ part?: string[] }} options
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope, { part }) {
  const wanted = part ?? Object.keys(PARTS);
  const unknown = wanted.filter((name) => !(name in PARTS));
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`);
  const database = await startDatabase(scope);
  /** @type {import('./support/report.mjs').Row[]} */
  const rows = [];
  /** @type {Record<string, unknown>} */
  const raw = {};
  /** @type {unknown[]} */
  const failures = [];
  for (const name of wanted) {
    console.log(`growth: ${name}`);
    // A part takes minutes: a failure does not stop the others, and each is reported when it is done.
    try {
      const measure = PARTS[/** @type {keyof typeof PARTS} */ (name)];
      const measured = await measure({ scope, server: database });
      printTable(measured.rows);
      rows.push(...measured.rows);
      raw[name] = measured.raw;
    } catch (error) {
      console.error(error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts failed`);
  return { database: await database.facts(), rows, raw };
}
