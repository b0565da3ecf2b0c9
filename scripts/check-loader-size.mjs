// Fails where the loader has grown beyond what a customer's page is asked to load (docs/loader.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const GZIPPED_BYTES_MAX = 3 * 1024;

const script = readFileSync(join('dist', 'loader', 'loader.js'));
const gzipped = gzipSync(script, { level: 9 }).length;
console.log(`loader: ${gzipped} of ${GZIPPED_BYTES_MAX} bytes gzipped, ${script.length} plain`);
if (gzipped > GZIPPED_BYTES_MAX) process.exit(1);
