import type { ErasureListener } from '../consent.hooks.js';
import { parseInstant } from '../../../platform/time/instant.js';
import {
  atMost,
  type Command,
  DRY_RUN,
  OperatorError,
  print,
  required,
  UsageError,
} from '../../../platform/operations/operator-command.js';

/** Lists erased records, and erases them again after a restore from a backup. */
export const erasureCommands = (listeners: readonly ErasureListener[]): Command[] => [
  {
    name: 'erasures list',
    synopsis: '--since <instant>',
    summary: 'print the ids of records erased since an instant; keep the list separate from backups',
    options: { since: { type: 'string' } },
    prepare: (parsed) => {
      atMost(0, parsed);
      const since = parseInstant(required(parsed, 'since', 'an instant'));
      if (!since) throw new UsageError('--since must be an ISO 8601 instant, e.g. 2026-11-20.');
      return async ({ orm }) => {
        const { erasedSince } = await import('./erased-records.js');
        for await (const { projectId, consentId, erasedAt } of erasedSince(orm.em, since))
          print(`${projectId} ${consentId} ${erasedAt.toISOString()}`);
      };
    },
  },
  {
    name: 'erasures reapply',
    synopsis: '[--file <output of erasures list>]  [--dry-run]',
    summary: 'erase again what a restored backup brought back, from a file or from the list in the database',
    options: { file: { type: 'string' }, ...DRY_RUN },
    prepare: (parsed) => {
      atMost(0, parsed);
      const file = parsed.values.file === undefined ? null : required(parsed, 'file', 'a file');
      const dryRun = parsed.values['dry-run'] === true;
      return async ({ orm }) => {
        const { erasedSince, linesOf, reapply, UnreadableLine } = await import('./erased-records.js');
        const listed = file === null ? erasedSince(orm.em, new Date(0)) : linesOf(file);
        try {
          const { listed: count, erased } = await reapply(orm.em, listed, { listeners, dryRun });
          print(`${dryRun ? 'Would erase' : 'Erased'} ${erased} of ${count} listed records.`);
        } catch (error) {
          if (error instanceof UnreadableLine) throw new OperatorError(error.message, { cause: error });
          throw error;
        }
      };
    },
  },
];
