/**
 * What MikroORM's command line reads: the same configuration as the application's, of the build, which is made where it
 * is missing or old. It connects to DATABASE_OWNER_URL or DATABASE_URL, else to the embedded server of a running
 * `npm start`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

if (existsSync('.env')) process.loadEnvFile('.env');
execFileSync(process.execPath, [join('scripts', 'build.mjs'), '--if-changed'], { stdio: 'inherit' });

type OrmOptions = typeof import('./src/programs/orm-options.js');
type Embedded = typeof import('./src/standalone/embedded-postgres.js');
const built = (file: string): Promise<unknown> => import(new URL(`dist/${file}`, import.meta.url).href);

const { ormOptions } = (await built('programs/orm-options.js')) as OrmOptions;
const { runningServer } = (await built('standalone/embedded-postgres.js')) as Embedded;

const databaseUrl =
  process.env['DATABASE_OWNER_URL'] ??
  process.env['DATABASE_URL'] ??
  (await runningServer(join(process.env['DATA_DIR'] ?? '.data', 'postgres'))).ownerUrl;

export default ormOptions(databaseUrl);
