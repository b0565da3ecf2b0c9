import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const FILE = join('src', 'modules', 'scans', 'infrastructure', 'known-data', 'services.json');
const PRINT =
  "import { knownServices } from './scripts/write-known-services.mjs'; process.stdout.write(knownServices());";

it('is what the script writes from the packages', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', PRINT], {
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  });
  expect(stderr).toBe('');
  // With "npm run generate -- services" the file is written again.
  expect(stdout === readFileSync(FILE, 'utf8')).toBe(true);
});
