import {
  atMost,
  type Command,
  type Context,
  LISTED_MAX,
  oneOrAll,
  OperatorError,
  print,
  requireProjectId,
} from '../../../platform/operations/operator-command.js';
import { outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { serviceSettings } from '../../../platform/settings/service.settings.js';
import { ROOT_LOG } from '../domain/log.js';
import { evidenceSettings } from '../evidence.settings.js';
import type { ReadBodies, RecordCheckTools } from './check-records.js';

/** `evidence check`: reads logs and compares records with them. */
export const checkCommand = (readBodies: ReadBodies): Command => ({
  name: 'evidence check',
  synopsis: '<projectId> | --all',
  summary:
    "check every entry of a project's logs up to the signature and compare its records with them; --all: all logs and timestamps",
  options: { all: { type: 'boolean' } },
  prepare: (parsed) => {
    const which = oneOrAll(parsed, 'the id of a project');
    atMost(1, parsed);
    const projectId = which === 'all' ? null : requireProjectId(parsed.args[0]);
    return async (context) => {
      const [{ listLogIds }, { checkTimestamps }] = await Promise.all([
        import('../infrastructure/log.rows.js'),
        import('./check-timestamps.js'),
      ]);
      const { orm } = context;
      const tools = await createTools(context);
      let faulty = 0;
      for (const log of projectId === null ? await listLogIds(orm.em.fork()) : [projectId])
        if (!(await checkOne({ ...tools, readBodies, em: orm.em.fork() }, log))) faulty += 1;
      if (projectId === null) {
        const { count, problem } = await checkTimestamps(orm.em.fork(), tools.storage);
        if (count > 0) print(`${count} timestamps  ${problem ?? 'ok'}`);
        if (problem !== null) faulty += 1;
      }
      await tools.storage.onApplicationShutdown();
      if (faulty > 0) throw new OperatorError(`Problems were found in ${faulty} of the logs.`);
    };
  },
});

async function createTools({ orm, settings }: Context): Promise<RecordCheckTools> {
  const [{ recordRetention }, { LogSigner }, { LogStorage }] = await Promise.all([
    import('../../consent/consent.records.js'),
    import('./log-signer.js'),
    import('../infrastructure/log-storage.js'),
  ]);
  const evidence = settings(evidenceSettings);
  const retention = recordRetention(settings);
  return {
    em: orm.em,
    storage: new LogStorage(evidence, settings(outboxSettings)),
    signer: new LogSigner(evidence, settings(serviceSettings)),
    keptSince: (now) => retention.keptSince(now),
  };
}

/** Prints the result for a log, the logs that it continues, and its records. Returns whether there is no problem. */
async function checkOne(tools: RecordCheckTools & { readBodies: ReadBodies }, log: string): Promise<boolean> {
  const { checkLogs } = await import('./check-log.js');
  const checks = await checkLogs(tools, log);
  if (checks.length === 0) throw new OperatorError('This project has no log.');
  for (const { name, size, problem } of checks) print(`${name}  ${size} entries  ${problem ?? 'ok'}`);
  const damaged = checks.find(({ isDamaged }) => isDamaged);
  if (damaged || checks.every(({ isWhole }) => isWhole)) {
    const { saveDamage } = await import('../infrastructure/check.rows.js');
    await saveDamage(tools.em, log, damaged?.problem ?? null);
  }
  if (damaged) print(`${log}  is not signed until a check finds no damage`);
  const isWell = checks.every(({ problem }) => problem === null);
  if (log === ROOT_LOG) return isWell;
  if (!checks.every(({ isWhole }) => isWhole)) {
    print(
      `${log}  records are not compared: ${damaged ? 'the log is damaged' : 'the checkpoint is not signed by a known key'}`,
    );
    return false;
  }
  const areRecordsWell = await compareRecords(tools, log);
  return (await compareScans(tools, log)) && areRecordsWell && isWell;
}

async function compareRecords(tools: RecordCheckTools, projectId: string): Promise<boolean> {
  const { checkRecordPage } = await import('./check-records.js');
  const now = new Date();
  let [compared, hashed, found] = [0, 0, 0];
  let afterId: string | null = null;
  do {
    const page = await checkRecordPage(tools, { projectId, afterId, now });
    for (const { id, kind, detail } of page.findings.slice(0, Math.max(0, LISTED_MAX - found)))
      print(`${projectId}  ${id}  ${kind}: ${detail}`);
    compared += page.compared;
    hashed += page.hashed;
    found += page.findings.length;
    ({ afterId } = page);
  } while (afterId !== null);
  if (found > LISTED_MAX) print(`${projectId}  ${found - LISTED_MAX} more records with problems`);
  if (hashed > 0)
    print(`${projectId}  ${hashed} records cannot be compared: their visitor references were hashed since`);
  print(`${projectId}  ${compared} records  ${found === 0 ? 'ok' : `${found} with problems`}`);
  return found === 0;
}

async function compareScans(
  { readBodies, ...tools }: RecordCheckTools & { readBodies: ReadBodies },
  projectId: string,
): Promise<boolean> {
  const { checkEntries } = await import('./check-records.js');
  const { compared, findings } = await checkEntries(tools, projectId, readBodies);
  if (compared === 0) return true;
  for (const { id, kind, detail } of findings.slice(0, LISTED_MAX))
    print(`${projectId}  scan ${id}  ${kind}: ${detail}`);
  print(
    `${projectId}  ${compared} scans  ${findings.length === 0 ? 'ok' : `${findings.length} with problems`}`,
  );
  return findings.length === 0;
}
