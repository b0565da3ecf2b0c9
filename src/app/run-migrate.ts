import { existsSync } from 'node:fs';
import { SettingsError } from '../shared/declare-settings.js';
import { readSettings } from './settings.js';
import { migrateOnly, StartError } from './start-database.js';

/**
 * `npm run migrate`: brings the database of DATABASE_OWNER_URL up to date and ends, for installations whose serving
 * processes may not. Exits 0 when the schema is up to date, also where it was before; else 1, with a sentence.
 */
export async function runMigrate(): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const { database } = readSettings(process.env);
    if (!database.databaseUrl)
      throw new StartError(
        'Set DATABASE_URL, and DATABASE_OWNER_URL: the embedded database is migrated by npm start.',
      );
    const ran = await migrateOnly(database, ({ tryNumber, triesMax, pauseMs }) =>
      print(`a table is in use; try ${tryNumber} of ${triesMax} in ${pauseMs / 1000} s`),
    );
    for (const name of ran) print(`ran ${name}`);
    print('the schema is up to date');
  } catch (error) {
    const expected = error instanceof StartError || error instanceof SettingsError;
    process.stderr.write(`${expected ? (error as Error).message : (error as Error).stack}\n`);
    process.exitCode = 1;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
