// `npm run generate -- settings`: writes .env.example and the table of docs/settings.md from the modules' declarations.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample, withSettingsTable } from '../dist/programs/settings-text.js';
import { NAMESPACES } from '../dist/programs/settings.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'settings.md');

writeFileSync(join(ROOT, '.env.example'), envExample(NAMESPACES));
writeFileSync(PAGE, withSettingsTable(readFileSync(PAGE, 'utf8'), NAMESPACES));
