// Generates the dashboard's client of the API from openapi.json into dashboard/src/client, if it is
// older than its sources: `npm run generate -- client`, and each build and type check. It is
// renamed when it is complete.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OUT = join('dashboard', 'src', 'client');
const CONFIGURATION = join('dashboard', 'openapi-ts.config.ts');
const SOURCES = ['openapi.json', CONFIGURATION, 'package-lock.json'];
const GENERATOR = join('node_modules', '@hey-api', 'openapi-ts', 'bin', 'run.js');
const CACHE = join('node_modules', '.cache');

const writtenMs = existsSync(OUT) ? statSync(join(OUT, 'sdk.gen.ts')).mtimeMs : -Infinity;
if (SOURCES.some((path) => statSync(path).mtimeMs >= writtenMs)) {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'client-'));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [GENERATOR, '-i', 'openapi.json', '-o', join(folder, 'client'), '-f', CONFIGURATION],
    { encoding: 'utf8' },
  );
  if (status !== 0) {
    console.error(`The client could not be generated from openapi.json:\n${stdout}${stderr}`);
    process.exit(status ?? 1);
  }
  rmSync(OUT, { recursive: true, force: true });
  renameSync(join(folder, 'client'), OUT);
  rmSync(folder, { recursive: true });
}
