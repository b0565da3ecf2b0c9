import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { OperatorBilling } from './billing/operator-billing.js';
import { readSettings, type Settings, SettingsError } from './config.js';
import { ormOptions } from './database/orm-options.js';
import { LicensingService } from './licensing/licensing.service.js';
import { EmbeddedPostgresError, runningServer } from './one-machine/embedded-postgres.js';
import { OutboxService } from './outbox/outbox.service.js';
import { OutboxStore } from './outbox/outbox.store.js';
import { republish } from './publishing/republish.js';
import { isUuid } from './shared/ids.js';
import { parseInstant } from './shared/instant.js';

const USAGE = `Usage: npm run ops -- <command>

  outbox dead                              list the dead letters, oldest first
  outbox retry <projectId> <id> [--dry-run]  put one back into the outbox
  outbox retry --all [--dry-run]           put all of them back
  sites publish <projectId> [--dry-run]    publish a project's configuration once more
  sites publish --all [--dry-run]          publish those of all projects, e.g. after an upgrade

  billing events [--status dead|pending|processed|ignored]
                                           list billing events, newest first; dead ones by default
  billing replay <eventId> [--dry-run]     have an event worked through again
  billing replay --all [--dry-run]         all dead ones
  billing grant <projectId> <tier> --until <instant> --reason <text> --by <operator> [--dry-run]
                                           give a project a tier by hand: pro, business, enterprise
  billing revoke <projectId> --reason <text> --by <operator> [--dry-run]
                                           end what was given by hand, at once

--dry-run says what would be done and changes nothing.
`;
const LISTED_MAX = 100;
const EVENT_STATUSES = ['dead', 'pending', 'processed', 'ignored'] as const;
const PAID_TIERS = ['pro', 'business', 'enterprise'] as const;

class UsageError extends Error {}

/** What an operator does by hand. Works beside a running service, on the same database. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      status: { type: 'string' },
      until: { type: 'string' },
      reason: { type: 'string' },
      by: { type: 'string' },
    },
  });
  if (existsSync('.env')) process.loadEnvFile('.env');
  const settings = readSettings(process.env);
  const [room, command, projectId, id] = positionals;
  if (room !== 'outbox' && room !== 'billing' && room !== 'sites') throw new UsageError();
  const orm = await MikroORM.init(ormOptions(await databaseUrlOf(settings)));
  const store = new OutboxStore(orm.em);
  try {
    if (room === 'billing') await runBilling(orm.em, { ...values, command, args: positionals.slice(2) });
    else if (room === 'sites' && command === 'publish') {
      await publishSites(orm, { all: values.all, dryRun: values['dry-run'], projectId });
    } else if (room === 'sites') throw new UsageError();
    else if (command === 'dead') await listDead(store);
    else if (command === 'retry')
      await retry(store, { all: values.all, dryRun: values['dry-run'], projectId, id });
    else throw new UsageError();
  } finally {
    await orm.close();
  }
}

async function databaseUrlOf(settings: Settings): Promise<string> {
  return settings.databaseUrl || (await runningServer(join(settings.dataDir, 'postgres'))).databaseUrl;
}

async function listDead(store: OutboxStore): Promise<void> {
  const letters = await store.deadLetters(LISTED_MAX);
  if (letters.length === 0) print('No dead letters.');
  for (const { projectId, id, topic, subjectId, failures, lastError, diedAt } of letters) {
    print(
      `${diedAt}  ${projectId} ${id}  ${topic} ${subjectId}  ${failures} failures: ${lastError ?? 'no error kept'}`,
    );
  }
}

interface Retry {
  all: boolean;
  dryRun: boolean;
  projectId: string | undefined;
  id: string | undefined;
}

async function retry(store: OutboxStore, { all, dryRun, projectId, id }: Retry): Promise<void> {
  const one = isUuid(projectId) && id !== undefined && /^\d{1,18}$/.test(id) ? { projectId, id } : null;
  if (all === (one !== null)) throw new UsageError();
  if (dryRun) {
    const letters = await store.deadLetters(LISTED_MAX);
    const found = letters.filter(
      (letter) => !one || (letter.projectId === one.projectId && letter.id === one.id),
    );
    print(`Would put back ${found.length}${letters.length === LISTED_MAX ? ' or more' : ''}.`);
    return;
  }
  print(`Put back ${await store.revive(one)}; a worker takes them up within the poll interval.`);
}

interface BillingCommand {
  command: string | undefined;
  args: string[];
  all: boolean;
  'dry-run': boolean;
  status?: string | undefined;
  until?: string | undefined;
  reason?: string | undefined;
  by?: string | undefined;
}

async function runBilling(em: EntityManager, given: BillingCommand): Promise<void> {
  // The service's workers have the handlers and look by themselves: here messages are only left for them.
  const outbox = new OutboxService({ ring: () => undefined });
  const licensing = new LicensingService(em, outbox);
  licensing.onModuleInit();
  const billing = new OperatorBilling(em, licensing);
  if (given.command === 'events') await listEvents(billing, given);
  else if (given.command === 'replay') await replayEvents(billing, given);
  else if (given.command === 'grant' || given.command === 'revoke') await changeGrant(billing, given);
  else throw new UsageError();
}

async function listEvents(billing: OperatorBilling, { status = 'dead' }: BillingCommand): Promise<void> {
  const wanted = EVENT_STATUSES.find((known) => known === status);
  if (!wanted) throw new UsageError();
  const events = await billing.list(wanted, LISTED_MAX);
  if (events.length === 0) print(`No ${wanted} events.`);
  for (const event of events) {
    const { eventId, type, attempts, projectId, subscriptionId, code, lastError, receivedAt } = event;
    const about = [subscriptionId, projectId && `project ${projectId}`].filter(Boolean).join(' ');
    const why = code ? `  ${code}: ${lastError ?? ''}` : '';
    print(`${receivedAt}  ${eventId}  ${type}  ${about}  ${attempts} attempts${why}`);
  }
}

async function replayEvents(
  billing: OperatorBilling,
  { args: [eventId], all, 'dry-run': dryRun }: BillingCommand,
): Promise<void> {
  if (all === (eventId !== undefined)) throw new UsageError();
  const count = await billing.replay(eventId === undefined ? 'dead' : { eventId }, { dryRun });
  print(
    dryRun
      ? `Would replay ${count}.`
      : `Replaying ${count}; a worker takes them up within the poll interval.`,
  );
}

async function changeGrant(billing: OperatorBilling, given: BillingCommand): Promise<void> {
  const { command, args, until, reason = '', by: operator = '', 'dry-run': dryRun } = given;
  const [projectId, tierKey] = args;
  const now = new Date();
  if (!isUuid(projectId) || reason.trim() === '' || operator.trim() === '') throw new UsageError();
  const options = { now, dryRun };
  let result: Awaited<ReturnType<OperatorBilling['grant']>>;
  if (command === 'grant') {
    const tier = PAID_TIERS.find((known) => known === tierKey);
    const expiresAt = parseInstant(until);
    if (!tier || !expiresAt || expiresAt <= now) throw new UsageError();
    result = await billing.grant({ projectId, tier, reason, expiresAt, operator }, options);
  } else {
    result = await billing.revoke({ projectId, reason, operator }, options);
  }
  if (!result) {
    print(command === 'grant' ? 'There is no such project.' : 'This project has no grant.');
    process.exitCode = 1;
    return;
  }
  const { before, after } = result;
  print(
    `${dryRun ? 'Would change' : 'Changed'} the tier of ${projectId} from ${before} to ${after.tier} (${after.reason}).`,
  );
}

async function publishSites(orm: MikroORM, { all, dryRun, projectId }: Omit<Retry, 'id'>): Promise<void> {
  const one = isUuid(projectId) ? projectId : null;
  if (all === (one !== null)) throw new UsageError();
  const found = await republish(orm.em, one, { dryRun });
  print(dryRun ? `Would publish ${found}.` : `${found} to be published; a worker takes them up in a moment.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  const expected = error instanceof SettingsError || error instanceof EmbeddedPostgresError;
  process.stderr.write(isUsage ? USAGE : `${expected ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
