import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Json } from '../support/people/json.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';
import { membersOf, Shell, stepsIn } from '../support/rules/walkthrough.js';

let service: LoneService;
beforeAll(async () => {
  service = await startLoneService();
});
afterAll(() => service?.stop());

it('docs/api.md: the main job works step by step, and each answer has the members of its sample', async () => {
  const workplace = mkdtempSync(join(tmpdir(), 'consent-walkthrough-'));
  symlinkSync(service.dataDir, join(workplace, '.data'));
  const shell = new Shell(workplace);
  const shown: [commands: string, members: string[]][] = [];
  const expected: typeof shown = [];
  try {
    for (const { commands, sample } of stepsIn('docs/api.md', 'The main job, step by step')) {
      // The record arrives in the background: a person who types the next command is slower.
      if (commands.includes('receiver.jsonl'))
        await until('the record has arrived', () =>
          readFileSync(join(service.dataDir, 'demo', 'receiver.jsonl'), 'utf8').includes(
            '"policyVersion":"2026-11"',
          ),
        );
      const run = () => shell.run(commands.replaceAll('http://127.0.0.1:3000', service.baseUrl));
      // The outcome is stored after the receiver has answered.
      const output = commands.includes('/forwarding/deliveries?')
        ? await until('the delivery is listed', async () => {
            const text = await run();
            return text.includes('"outcome"') ? text : null;
          })
        : await run();
      if (!sample) continue;
      const answer = JSON.parse(output.split('\n').at(-1) ?? '') as Json;
      expected.push([commands, membersOf(sample).toSorted()]);
      shown.push([commands, membersOf(answer).toSorted()]);
    }
  } finally {
    shell.close();
    rmSync(workplace, { recursive: true, force: true });
  }
  expect(shown).toEqual(expected);
  expect(expected).toHaveLength(12);
});
