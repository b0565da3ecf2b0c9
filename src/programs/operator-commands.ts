import { accountCommands } from '../modules/access/application/account-commands.js';
import { DEMO_OWNER_EMAIL } from '../modules/access/domain/account.js';
import { auditCommands } from '../modules/audit/application/audit-commands.js';
import { billingCommands, reviveEvents } from '../modules/billing/application/billing-commands.js';
import { BILLING_EVENT } from '../modules/billing/domain/billing-message.js';
import { erasureCommands } from '../modules/consent/application/erasure-commands.js';
import { evidenceCommands } from '../modules/evidence/application/evidence-commands.js';
import { secretCommands } from '../modules/forwarding/application/secret-commands.js';
import { siteCommands } from '../modules/publishing/application/site-commands.js';
import { readProofs } from '../modules/scans/infrastructure/statement.rows.js';
import type { DemoMemberError } from '../platform/database/copy.js';
import { mailCommands } from '../platform/mail/application/mail-commands.js';
import {
  atMost,
  OperatorError,
  print,
  required,
  UsageError,
  type Command,
  type StandaloneCommand,
} from '../platform/operations/operator-command.js';
import { demoCommands } from '../standalone/demo/demo-commands.js';
import { DEMO_PRICE_PREFIX } from '../standalone/demo/demo-prices.js';
import { erasureListeners } from './erasure-listeners.js';
import { outboxCommands } from './outbox-commands.js';

/** Commands for the database as a whole. */
const databaseCommands: Command[] = [
  {
    name: 'database copy',
    synopsis: '--to <owner URL of an empty database>',
    summary: 'copy everything except the demo into another database; stop the service first (docs/deploy.md)',
    options: { to: { type: 'string' } },
    startsServer: true,
    prepare: (parsed) => {
      atMost(0, parsed);
      const to = required(parsed, 'to', 'the URL of the target');
      // Not repeated in the error, because the value may contain a password.
      if (!URL.canParse(to) || !['postgres:', 'postgresql:'].includes(new URL(to).protocol))
        throw new UsageError('--to must be a URL that starts with postgres:// or postgresql://.');
      return async ({ orm, databaseUrl }) => {
        const [
          { MikroORM },
          { Client },
          { migrate, pendingMigrations, unknownBaselineSentence },
          { ormOptions },
          { copyDatabase, DemoMemberError, TargetNotEmptyError },
          { incompatibleServerSentence },
          { sessionOptions },
        ] = await Promise.all([
          import('@mikro-orm/postgresql'),
          import('pg'),
          import('../platform/database/migrate.js'),
          import('./orm-options.js'),
          import('../platform/database/copy.js'),
          import('../platform/database/server-compatibility.js'),
          import('../platform/database/postgres-pool.js'),
        ]);
        if ((await pendingMigrations(orm)).length > 0)
          throw new OperatorError(
            'This database has an older schema. Start this version on it once, then stop it.',
          );
        const targetOrm = await MikroORM.init(ormOptions(to, { statementMs: 0 }));
        const options = sessionOptions({ statementMs: 0 });
        const source = new Client({ connectionString: databaseUrl, options });
        const target = new Client({ connectionString: to, options });
        try {
          await target.connect().catch((cause: unknown) => {
            throw new OperatorError('Cannot connect to the target database.', { cause });
          });
          const unfit =
            (await incompatibleServerSentence(targetOrm)) ?? (await unknownBaselineSentence(targetOrm));
          if (unfit) throw new OperatorError(unfit);
          await source.connect();
          await migrate(targetOrm, { ownerUrl: to, runtimeUrl: to });
          const copied = await copyDatabase(source, target, {
            ownerEmail: DEMO_OWNER_EMAIL,
            pricePrefix: DEMO_PRICE_PREFIX,
          });
          for (const { table, rows } of copied) print(`${String(rows).padStart(10)}  ${table}`);
          print(
            'Copied. Copy SECRET_KEYS and AUTH_SECRET to the new installation and run "npm run migrate" there (docs/deploy.md).',
          );
        } catch (error) {
          if (error instanceof TargetNotEmptyError)
            throw new OperatorError(
              'The target already contains projects, users, or records. Nothing was copied.',
              {
                cause: error,
              },
            );
          if (error instanceof DemoMemberError) throw demoMemberRefused(error);
          throw error;
        } finally {
          await targetOrm.close();
          await Promise.allSettled([source.end(), target.end()]);
        }
      };
    },
  },
];

/** Projects named in an error; for more, only their number. */
const NAMED_MAX = 5;

function demoMemberRefused(cause: DemoMemberError): OperatorError {
  const { projectIds } = cause;
  const more = projectIds.length > NAMED_MAX ? ` and ${projectIds.length - NAMED_MAX} more` : '';
  return new OperatorError(
    `${DEMO_OWNER_EMAIL}, the demo account, is not copied but is a member of other projects: ` +
      `${projectIds.slice(0, NAMED_MAX).join(', ')}${more}. Make your own account an owner of each project, ` +
      'remove the demo account from them, and copy again. Nothing was copied.',
    { cause },
  );
}

/**
 * `npm run migrate`: migrates the database of DATABASE_OWNER_URL and exits, for installations whose
 * serving processes may not. Succeeds also if the schema is up to date already.
 */
const migrateCommand: StandaloneCommand = {
  name: 'migrate',
  synopsis: '',
  summary: 'migrate the database of DATABASE_OWNER_URL; npm start migrates the embedded database',
  options: {},
  prepare: (parsed) => {
    atMost(0, parsed);
    return async () => {
      const [{ readProcessSettings }, { migrateOnly }, { StartError }] = await Promise.all([
        import('./settings.js'),
        import('./start-database.js'),
        import('./expected-errors.js'),
      ]);
      const { database } = readProcessSettings();
      if (!database.databaseUrl)
        throw new StartError(
          'Set DATABASE_URL and DATABASE_OWNER_URL. npm start migrates the embedded database.',
        );
      const ran = await migrateOnly(database, ({ tryNumber, triesMax, pauseMs }) =>
        print(`a table is locked; retry ${tryNumber} of ${triesMax} in ${pauseMs / 1000} s`),
      );
      for (const name of ran) print(`ran ${name}`);
      print('the schema is up to date');
    };
  },
};

/** Commands on the service's database, connected as the run-time role. */
export const DATABASE_COMMANDS: Command[] = [
  ...outboxCommands(new Map([[BILLING_EVENT, reviveEvents]])),
  ...siteCommands,
  ...billingCommands,
  ...secretCommands,
  ...mailCommands,
  ...auditCommands,
  ...erasureCommands(erasureListeners),
  ...evidenceCommands(readProofs),
  ...accountCommands,
  ...databaseCommands,
  ...demoCommands,
];

/** Commands that open their own connection. */
export const STANDALONE_COMMANDS: StandaloneCommand[] = [migrateCommand];
