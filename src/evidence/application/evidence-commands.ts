import {
  atMost,
  type Command,
  LISTED_MAX,
  oneOrAll,
  OperatorError,
  print,
  projectIdOf,
} from '../../shared/operator-command.js';
import { outboxSettings } from '../../outbox/outbox.settings.js';
import { evidenceSettings } from '../evidence.settings.js';

/** What an operator can find out about the logs of records. */
export const evidenceCommands: Command[] = [
  {
    name: 'evidence status',
    synopsis: '',
    summary: 'say up to when records are sealed, and which logs are not signed and why',
    options: {},
    prepare: (given) => {
      atMost(0, given);
      return async ({ orm, settings }) => {
        const { sealingStatus } = await import('./check-log.js');
        const { sealedUntil, logs, unsigned, refused } = await sealingStatus(orm.em.fork(), LISTED_MAX);
        if (settings(evidenceSettings).keys.length === 0)
          print('EVIDENCE_KEYS is not set: nothing is sealed.');
        print(`Sealed is what was stored before ${sealedUntil.toISOString()}.`);
        print(`${logs} logs, ${unsigned} of them with entries that are not signed yet.`);
        if (settings(evidenceSettings).timestampUrl !== '') {
          const { findNewestStamp } = await import('../infrastructure/stamp-rows.js');
          const stamp = await findNewestStamp(orm.em.fork());
          print(
            stamp
              ? `The time-stamp service stamped ${stamp.size} entries of the root log at ${stamp.stampedAt.toISOString()}.`
              : 'The time-stamp service has not stamped the root log yet.',
          );
        }
        for (const { log, refusal, refusedAt } of refused)
          print(`${log}  not signed since ${refusedAt.toISOString()}: ${refusal}`);
      };
    },
  },
  {
    name: 'evidence check',
    synopsis: '<projectId> | --all',
    summary:
      "read a project's whole log from the storage, or all logs and time-stamps, and check every entry up to the signature",
    options: { all: { type: 'boolean' } },
    prepare: (given) => {
      const which = oneOrAll(given, 'the id of a project');
      atMost(1, given);
      const projectId = which === 'all' ? null : projectIdOf(given.args[0]);
      return async ({ orm, settings }) => {
        const [{ checkLog, logIds }, { checkStamps }, { LogStorage }, { signerOf }] = await Promise.all([
          import('./check-log.js'),
          import('./check-stamps.js'),
          import('../infrastructure/log-storage.js'),
          import('../domain/signed-note.js'),
        ]);
        const { keys, ...evidence } = settings(evidenceSettings);
        const storage = new LogStorage({ keys, ...evidence }, settings(outboxSettings));
        const keysOf = (origin: string) =>
          keys.map(({ key }) => signerOf(origin.slice(0, origin.lastIndexOf('/')), key));
        let damaged = 0;
        for (const log of projectId === null ? await logIds(orm.em.fork()) : [projectId]) {
          const check = await checkLog(orm.em.fork(), storage, { log, keysOf });
          if (!check) throw new OperatorError('Nothing of this project was sealed.');
          print(`${log}  ${check.size} entries  ${check.wrong ?? 'as signed'}`);
          if (check.wrong !== null) damaged += 1;
        }
        if (projectId === null) {
          const { count, wrong } = await checkStamps(orm.em.fork(), storage);
          if (count > 0) print(`${count} time-stamps  ${wrong ?? 'as given'}`);
          if (wrong !== null) damaged += 1;
        }
        await storage.onApplicationShutdown();
        if (damaged > 0) throw new OperatorError(`${damaged} of the logs are not as signed.`);
      };
    },
  },
];
