import {
  atMost,
  type Command,
  DRY_RUN,
  LISTED_MAX,
  oneOrAll,
  OperatorError,
  print,
  projectIdOf,
  UsageError,
} from '../../shared/operator-command.js';

const LETTER_ID = /^\d{1,18}$/;

/** The dead letters of the outbox: messages that failed too often. */
export const outboxCommands: Command[] = [
  {
    name: 'outbox dead',
    synopsis: '',
    summary: 'list the dead letters, oldest first',
    options: {},
    prepare: (given) => {
      atMost(0, given);
      return async ({ orm }) => {
        const { OutboxStore } = await import('../infrastructure/outbox.store.js');
        const letters = await new OutboxStore(orm.em).deadLetters(LISTED_MAX);
        if (letters.length === 0) print('No dead letters.');
        for (const { projectId, id, topic, subjectId, failures, lastError, diedAt } of letters) {
          const why = lastError ?? 'no error kept';
          print(`${diedAt}  ${projectId} ${id}  ${topic} ${subjectId}  ${failures} failures: ${why}`);
        }
      };
    },
  },
  {
    name: 'outbox retry',
    synopsis: '<projectId> <id> | --all  [--dry-run]',
    summary: 'put a dead letter, or all of them, back into the outbox',
    options: { all: { type: 'boolean' }, ...DRY_RUN },
    prepare: (given) => {
      const which = oneOrAll(given, 'the project and the id of a dead letter');
      atMost(2, given);
      const letter = which === 'all' ? null : letterOf(given.args);
      return async ({ orm }) => {
        const { OutboxStore } = await import('../infrastructure/outbox.store.js');
        const store = new OutboxStore(orm.em);
        const dryRun = given.values['dry-run'] === true;
        const count = dryRun ? await store.countDeadLetters(letter) : await store.revive(letter);
        if (letter && count === 0) {
          throw new OperatorError(`Project ${letter.projectId} has no dead letter ${letter.id}.`);
        }
        print(
          dryRun
            ? `Would put back ${count}.`
            : `Put back ${count}; a worker takes them up within the poll interval.`,
        );
      };
    },
  },
];

function letterOf([project, id]: string[]): { projectId: string; id: string } {
  const projectId = projectIdOf(project);
  if (id === undefined) throw new UsageError('Give the id of the dead letter behind the project.');
  if (!LETTER_ID.test(id)) throw new UsageError(`"${id}" is no id of a dead letter: it must be a number.`);
  return { projectId, id };
}
