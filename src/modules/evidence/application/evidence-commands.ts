import { readFileSync } from 'node:fs';
import {
  atMost,
  type Command,
  type Context,
  LISTED_MAX,
  OperatorError,
  type ParsedArgs,
  print,
  requireProjectId,
  required,
  UsageError,
} from '../../../platform/operations/operator-command.js';
import { outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { serviceSettings } from '../../../platform/settings/service.settings.js';
import { REASON_LETTERS_MAX } from '../domain/checkpoint.js';
import { ROOT_LOG } from '../domain/log.js';
import { evidenceSettings } from '../evidence.settings.js';
import { checkCommand } from './check-command.js';
import type { ReadBodies } from './check-records.js';

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
