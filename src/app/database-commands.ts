import {
  atMost,
  type Command,
  OperatorError,
  print,
  required,
  UsageError,
} from '../shared/operator-command.js';

/** The database as a whole. */
export const databaseCommands: Command[] = [
  {
    name: 'database copy',
    synopsis: '--to <url of the owner of an empty database>',
    summary:
      'copy everything but the demo into another database; the service here must be stopped (docs/operations.md)',
    options: { to: { type: 'string' } },
    startsServer: true,
    prepare: (given) => {
      atMost(0, given);
      const to = required(given, 'to', 'the URL of the target');
      // The value may hold a password, so it is not repeated.
      if (!URL.canParse(to) || !['postgres:', 'postgresql:'].includes(new URL(to).protocol))
        throw new UsageError('--to must be a URL that begins with postgres:// or postgresql://.');
      return async ({ orm, databaseUrl }) => {
        const [
          { MikroORM },
          { Client },
          { migrate, pendingMigrations },
          { ormOptions },
          { copyDatabase, TargetNotEmptyError },
          { unfitServerSentence },
          { sessionOptions },
        ] = await Promise.all([
          import('@mikro-orm/postgresql'),
          import('pg'),
          import('../database/migrate.js'),
          import('./orm-options.js'),
          import('../database/copy.js'),
          import('../database/unfit-server.js'),
          import('../shared/postgres-pool.js'),
        ]);
        if ((await pendingMigrations(orm)).length > 0)
          throw new OperatorError(
            'This database is of an earlier version. Start this version on it once, and stop it.',
          );
        const targetOrm = await MikroORM.init(ormOptions(to, { statementMs: 0 }));
        const options = sessionOptions({ statementMs: 0 });
        const source = new Client({ connectionString: databaseUrl, options });
        const target = new Client({ connectionString: to, options });
        try {
          await target.connect().catch((cause: unknown) => {
            throw new OperatorError('The target cannot be reached.', { cause });
          });
          const unfit = await unfitServerSentence(targetOrm);
          if (unfit) throw new OperatorError(unfit);
          await source.connect();
          await migrate(targetOrm, { ownerUrl: to, runtimeUrl: to });
          const copied = await copyDatabase(source, target);
          for (const { table, rows } of copied) print(`${String(rows).padStart(10)}  ${table}`);
          print('Copied. Take SECRET_KEYS along, and run "npm run migrate" there (docs/operations.md).');
        } catch (error) {
          if (error instanceof TargetNotEmptyError)
            throw new OperatorError(
              'The target has projects, people or records already; nothing was copied.',
              {
                cause: error,
              },
            );
          throw error;
        } finally {
          await targetOrm.close();
          await Promise.allSettled([source.end(), target.end()]);
        }
      };
    },
  },
];
