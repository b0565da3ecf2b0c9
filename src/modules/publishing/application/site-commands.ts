import { CONFIGURATION_CHANGED } from '../publishing.events.js';
import {
  atMost,
  type Command,
  DRY_RUN,
  oneOrAll,
  OperatorError,
  print,
  requireProjectId,
} from '../../../platform/operations/operator-command.js';

/** Commands for the published files of sites. */
export const siteCommands: Command[] = [
  {
    name: 'sites publish',
    synopsis: '<projectId> | --all  [--dry-run]',
    summary: 'republish the configuration of one project or all, for example after an upgrade',
    options: { all: { type: 'boolean' }, ...DRY_RUN },
    prepare: (parsed) => {
      const which = oneOrAll(parsed, 'the id of a project');
      atMost(1, parsed);
      const projectId = which === 'all' ? null : requireProjectId(parsed.args[0]);
      const dryRun = parsed.values['dry-run'] === true;
      return async ({ orm }) => {
        const [{ republish }, { OutboxService }] = await Promise.all([
          import('./republish.js'),
          import('../../../platform/outbox/outbox.service.js'),
        ]);
        const outbox = OutboxService.appendOnly(orm.em, { topics: [CONFIGURATION_CHANGED] });
        const found = await republish(orm.em, outbox, projectId, { dryRun });
        if (projectId !== null && found === 0) throw new OperatorError('Project not found.');
        print(
          dryRun ? `Would republish ${found}.` : `Republishing ${found}; a worker picks them up shortly.`,
        );
      };
    },
  },
];
