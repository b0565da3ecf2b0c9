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

it('the README of the techniques lists each with the result that its test requires', () => {
  const known = [...GROUPS.flatMap(({ techniques }) => techniques), ...CONSENT_TECHNIQUES, ...TRAPS];
  const rows = tableOf('test/scans/techniques/README.md', /^\| technique +\| found/);
  expect(rows.map((cells) => cells.slice(0, 2))).toEqual(known.map(({ name, found }) => [name, found]));
});
