import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { CONSENT_TECHNIQUES } from './techniques/consent-sites.js';
import { GROUPS } from './techniques/test-sites.js';
import { TRAPS } from './techniques/traps.js';

/** The cells of the table that begins with the given header. */
function tableOf(file: string, header: RegExp): string[][] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const start = lines.findIndex((line) => header.test(line));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

it('docs/scans.md lists the techniques of the farm, with what its test finds of them', () => {
  const known = [...GROUPS.flatMap(({ techniques }) => techniques), ...CONSENT_TECHNIQUES, ...TRAPS];
  const rows = tableOf('docs/scans.md', /^\| technique +\| found/);
  expect(rows.map((cells) => cells.slice(0, 3))).toEqual(
    known.map(({ name, found, collector }) => [name, found, collector]),
  );
});
