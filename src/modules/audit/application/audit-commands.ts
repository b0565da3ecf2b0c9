import { parseInstant } from '../../../platform/time/instant.js';
import {
  atMost,
  type Command,
  LISTED_MAX,
  print,
  requireProjectId,
  UsageError,
} from '../../../platform/operations/operator-command.js';
import type { AuditEvent } from '../domain/audit-event.js';

/** Lists the audit log of a project, also of a deleted one, or of the service as a whole. */
export const auditCommands: Command[] = [
  {
    name: 'audit list',
    synopsis: '<projectId> | --service  [--before <instant>]',
    summary: `list the latest ${LISTED_MAX} changes of a project (also a deleted one) or of the service`,
    options: { service: { type: 'boolean' }, before: { type: 'string' } },
    prepare: (parsed) => {
      atMost(1, parsed);
      const { args, values } = parsed;
      if ((values.service === true) === args.length > 0)
        throw new UsageError('Specify the id of a project, or --service.');
      const projectId = values.service === true ? null : requireProjectId(args[0]);
      const before = values.before === undefined ? null : parseInstant(values.before);
      if (values.before !== undefined && !before)
        throw new UsageError('--before must be an ISO 8601 instant, e.g. 2026-11-20.');
      return async ({ orm }) => {
        const { newestEvents } = await import('./audit-reader.js');
        const events = await newestEvents(orm.em, projectId, { before, limit: LISTED_MAX });
        if (events.length === 0) print('No changes.');
        for (const event of events) print(formatLine(event));
      };
    },
  },
];

function formatLine({ at, action, actorKind, actorId, network, target, before, after }: AuditEvent): string {
  const actor = [actorKind, actorId, network].filter(Boolean).join(' ');
  const states = [before, after].map((state) => (state === null ? '-' : JSON.stringify(state)));
  return `${at.toISOString()}  ${action}  ${target ?? '-'}  by ${actor}  ${states.join(' -> ')}`;
}
