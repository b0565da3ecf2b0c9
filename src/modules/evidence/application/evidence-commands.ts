import { readFileSync } from 'node:fs';
import {
  atMost,
  LISTED_MAX,
  oneOrAll,
  OperatorError,
  print,
  required,
  requireProjectId,
  UsageError,
  type Command,
  type Context,
  type ParsedArgs,
} from '../../../platform/operations/operator-command.js';
import { outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { serviceSettings } from '../../../platform/settings/service.settings.js';
import { REASON_LETTERS_MAX } from '../domain/checkpoint.js';
import { ROOT_LOG } from '../domain/log.js';
import { evidenceSettings } from '../evidence.settings.js';
import type { ReadBodies, RecordCheckTools } from './check-records.js';

/** Logs that one command continues. */
const CONTINUED_MAX = 10_000;

const statusCommand: Command = {
  name: 'evidence status',
  synopsis: '',
  summary: 'show up to when records are in the logs, and which logs are unsigned and why',
  options: {},
  prepare: (parsed) => {
    atMost(0, parsed);
    return async (context) => {
      await printSigning(context);
      await printTimestamp(context);
      await printProblems(context);
    };
  },
};

const continueCommand: Command = {
  name: 'evidence continue',
  synopsis: '--project <projectId> | --root | --all  --reason <sentence> [--head <file>]',
  summary:
    'begin a new log where the former one can never be signed again, as after a restore; --all: every log that is not signed',
  options: {
    project: { type: 'string' },
    root: { type: 'boolean' },
    all: { type: 'boolean' },
    reason: { type: 'string' },
    head: { type: 'string' },
  },
  prepare: (parsed) => {
    atMost(0, parsed);
    const which = chosenLog(parsed);
    const reason = parseReason(parsed);
    const head = typeof parsed.values.head === 'string' ? readHead(parsed.values.head) : null;
    if (head !== null && which === 'all')
      throw new UsageError('--head applies to one log: use --project or --root.');
    return (context) => continueLogs(context, { which, reason, head });
  },
};

/** Commands for the evidence logs. `readBodies` reads the committed content of other modules' entries. */
export function evidenceCommands(readBodies: ReadBodies): Command[] {
  return [statusCommand, checkCommand(readBodies), continueCommand];
}

async function printSigning({ orm, settings }: Context): Promise<void> {
  const [{ findStatus }, { LogSigner }, { countStaleLogs }] = await Promise.all([
    import('../infrastructure/log.rows.js'),
    import('./log-signer.js'),
    import('./log-maintenance.js'),
  ]);
  const { sequencedUntil, logs, unsigned } = await findStatus(orm.em.fork());
  if (settings(evidenceSettings).keys.length === 0)
    print('EVIDENCE_KEYS is not set: records are not added to the logs.');
  print(`Records stored before ${sequencedUntil.toISOString()} are in the logs.`);
  print(`${logs} logs, ${unsigned} of them with unsigned entries.`);
  const signer = new LogSigner(settings(evidenceSettings), settings(serviceSettings));
  const stale = await countStaleLogs(orm.em.fork(), signer);
  if (signer.isOn && stale > 0)
    print(
      `${stale} of them must still be signed by the first key of EVIDENCE_KEYS. Keep the other keys until then.`,
    );
}

async function printTimestamp({ orm, settings }: Context): Promise<void> {
  if (settings(evidenceSettings).timestampUrl === '') return;
  const { findNewestTimestamp } = await import('../infrastructure/timestamp.rows.js');
  const newest = await findNewestTimestamp(orm.em.fork());
  print(
    newest
      ? `The timestamp service stamped ${newest.size} entries of the root log at ${newest.stampedAt.toISOString()}.`
      : 'The root log has no timestamp yet.',
  );
}

async function printProblems({ orm }: Context): Promise<void> {
  const [{ listRefused }, { listProblems }] = await Promise.all([
    import('../infrastructure/log.rows.js'),
    import('../infrastructure/check.rows.js'),
  ]);
  for (const { log, refusal, refusedAt } of await listRefused(orm.em.fork(), LISTED_MAX))
    print(`${log}  unsigned since ${refusedAt.toISOString()}: ${refusal}`);
  for (const { log, problem, checkedAt } of await listProblems(orm.em.fork(), LISTED_MAX))
    print(`${log}  checked at ${checkedAt.toISOString()}: ${problem}`);
}

async function continueLogs(
  { orm, settings }: Context,
  { which, reason, head }: { which: string; reason: string; head: string | null },
): Promise<void> {
  const [{ continueLog }, { LogSigner }, { LogStorage }, { HeadCopies }, { listHalted }] = await Promise.all([
    import('./continue-log.js'),
    import('./log-signer.js'),
    import('../infrastructure/log-storage.js'),
    import('../infrastructure/log-storage.js'),
    import('../infrastructure/continuation.rows.js'),
  ]);
  const evidence = settings(evidenceSettings);
  if (evidence.keys.length === 0) throw new OperatorError('EVIDENCE_KEYS is not set: cannot sign.');
  const storage = new LogStorage(evidence, settings(outboxSettings));
  const heads = new HeadCopies(evidence, settings(outboxSettings));
  const signer = new LogSigner(evidence, settings(serviceSettings));
  const continuing = { em: orm.em, storage, heads, signer };
  try {
    const logs = which === 'all' ? await listHalted(orm.em.fork(), CONTINUED_MAX) : [which];
    if (logs.length === 0) print('No log is halted. Nothing was changed.');
    let failed = 0;
    for (const log of logs) {
      try {
        const { origin, former } = await continueLog(continuing, { log, reason, head });
        print(
          former
            ? `${origin} continues the ${former.size} entries of ${former.origin}.`
            : `${origin} begins, and no former checkpoint is known.`,
        );
      } catch (error) {
        if (which !== 'all' || !(error instanceof OperatorError)) throw error;
        print(error.message);
        failed += 1;
      }
    }
    if (failed > 0) throw new OperatorError(`${failed} of ${logs.length} logs were not continued.`);
    if (logs.length === CONTINUED_MAX) print('There may be more. Run the command again.');
  } finally {
    await storage.onApplicationShutdown();
    await heads.onApplicationShutdown();
  }
}

/** @throws UsageError */
function chosenLog({ values }: ParsedArgs): string {
  const given = [values.project, values.root, values.all].filter((value) => value !== undefined);
  if (given.length !== 1) throw new UsageError('Specify one of --project, --root, and --all.');
  if (values.all === true) return 'all';
  return values.root === true ? ROOT_LOG : requireProjectId(String(values.project));
}

/** @throws UsageError */
function parseReason(parsed: ParsedArgs): string {
  const reason = required(parsed, 'reason', 'the reason, which is public to everyone who verifies the log,');
  if (reason.length > REASON_LETTERS_MAX || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(reason))
    throw new UsageError(`--reason must be one line of at most ${REASON_LETTERS_MAX} characters.`);
  return reason;
}

/** @throws UsageError */
function readHead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`Cannot read ${file}.`);
  }
}

/** `evidence check`: reads logs and compares records with them. */
const checkCommand = (readBodies: ReadBodies): Command => ({
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
