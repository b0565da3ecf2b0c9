// `npm run settings`: writes .env.example and the README's table of settings from what the modules declare.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample, withSettingsTable } from '../dist/app/settings-text.js';
import { NAMESPACES } from '../dist/app/settings.js';

const ROOT = join(import.meta.dirname, '..');
const README = join(ROOT, 'README.md');

writeFileSync(join(ROOT, '.env.example'), envExample(NAMESPACES));
writeFileSync(README, withSettingsTable(readFileSync(README, 'utf8'), NAMESPACES));
