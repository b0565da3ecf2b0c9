// Writes the type of the dashboard's messages with their literal texts, from which `tsc` reads the ICU arguments:
// TypeScript gives imported JSON only the type `string`. Each build and type check runs this.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MESSAGES = join('dashboard', 'messages', 'en.json');
const TYPES = join('dashboard', 'messages', 'en.d.json.ts');

const types = `declare const messages: ${readFileSync(MESSAGES, 'utf8').trim()};\n\nexport default messages;\n`;
if (!existsSync(TYPES) || readFileSync(TYPES, 'utf8') !== types) writeFileSync(TYPES, types);
