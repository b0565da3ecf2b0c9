import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { TARGETS } from '../../loader/signals/targets.js';
import { SIGNAL_TARGETS } from '../../src/modules/publishing/domain/signals.js';
import { signalRows } from '../support/rules/signal-rows.js';

const document = readFileSync('docs/signals.md', 'utf8');

it('has a target in the loader for each name in a configuration', () => {
  expect(Object.keys(TARGETS)).toEqual([...SIGNAL_TARGETS]);
});

describe.each([...SIGNAL_TARGETS])('the table of %s in docs/signals.md', (name) => {
  it('is what the target gets', () => {
    const [, section = ''] = document.split(`(\`${name}\`)\n`);
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (?!situation|-)(.*?) +\| (.*?) +\|$/gm)];
    const expected = signalRows(name).map(({ situation, sent }) => [
      situation,
      sent.length > 0 ? sent.map((text) => `\`${text}\``).join('<br>') : 'nothing',
    ]);
    expect(rows.map(([, situation, sent]) => [situation, sent])).toEqual(expected);
  });
});
