import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MikroORM } from '@mikro-orm/postgresql';
import { readSettings, type Settings, SettingsError } from './config.js';
import { ormOptions } from './database/orm-options.js';
import { EmbeddedPostgresError, runningServerUrl } from './one-machine/embedded-postgres.js';
import { OutboxStore } from './outbox/outbox.store.js';
import { isUuid } from './shared/ids.js';

const USAGE = `Usage: npm run ops -- <command>

  outbox dead                              list the dead letters, oldest first
  outbox retry <projectId> <id> [--dry-run]  put one back into the outbox
  outbox retry --all [--dry-run]           put all of them back

--dry-run says what would be done and changes nothing.
`;
const LISTED_MAX = 100;

class UsageError extends Error {}

/** What an operator does by hand. Works beside a running service, on the same database. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { all: { type: 'boolean', default: false }, 'dry-run': { type: 'boolean', default: false } },
  });
  if (existsSync('.env')) process.loadEnvFile('.env');
  const settings = readSettings(process.env);
  const [room, command, projectId, id] = positionals;
  if (room !== 'outbox') throw new UsageError();
  const orm = await MikroORM.init(ormOptions(await databaseUrlOf(settings)));
  const store = new OutboxStore(orm.em, settings);
  try {
    if (command === 'dead') await listDead(store);
    else if (command === 'retry')
      await retry(store, { all: values.all, dryRun: values['dry-run'], projectId, id });
    else throw new UsageError();
  } finally {
    await orm.close();
  }
}

async function databaseUrlOf(settings: Settings): Promise<string> {
  return settings.databaseUrl || runningServerUrl(join(settings.dataDir, 'postgres'));
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

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  const expected = error instanceof SettingsError || error instanceof EmbeddedPostgresError;
  process.stderr.write(isUsage ? USAGE : `${expected ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = isUsage ? 2 : 1;
});
