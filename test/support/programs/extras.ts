import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Folder of the packages that only some suites need; the suite's npm script installs them. */
export const EXTRAS = join('test', 'extras', 'node_modules');

/** Loads a CommonJS package of test/extras. */
export const requireExtra = createRequire(join(process.cwd(), EXTRAS, '..', 'package.json'));
