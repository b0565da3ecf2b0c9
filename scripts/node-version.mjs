// Ends with a sentence where Node is too old, before anything is loaded that an older one cannot even read.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [major, minor] = process.versions.node.split('.').map(Number);
const [majorMin, minorMin] = needed.split('.').map(Number);
if (major < majorMin || (major === majorMin && minor < minorMin)) {
  console.error(
    `This service needs Node ${needed} or later and runs on ${process.versions.node}. "npm ci" brings the right one ` +
      'along: run it without --ignore-scripts, and start with "npm start".',
  );
  process.exit(1);
}
