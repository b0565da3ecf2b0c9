import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parseSamples } from './samples.js';

it('finds the programs of docs/receiver.md, whole', () => {
  const samples = parseSamples(readFileSync('docs/receiver.md', 'utf8'));
  expect(samples.map(({ title }) => title)).toEqual(['Node', 'Python', 'PHP']);
  for (const { code } of samples) expect(code).toMatch(/CONSENT_TOKEN/);
});
