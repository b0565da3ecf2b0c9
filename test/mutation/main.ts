import { parseArgs } from 'node:util';
import { Checkout } from './checkout.js';
import { type Planted, PLANTED } from './planted.js';

/**
 * Plants each defect of the list, or those whose name holds one of the words, in a copy of the checkout, and runs the
 * tests that must notice it. Exit code 0: each was noticed, and the tests pass without it.
 */
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
});
const wanted = PLANTED.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (wanted.length === 0) throw new Error('No planted defect has such a name; --list shows them.');
if (values.list) for (const { name, tests } of wanted) say(`${name}  (${tests.join(', ')})`);
else process.exitCode = plantAll(wanted) ? 0 : 1;

function plantAll(planted: Planted[]): boolean {
  const checkout = Checkout.copy();
  try {
    let noticed = 0;
    for (const defect of planted) {
      const startedMs = performance.now();
      const verdict = plant(checkout, defect);
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
      say(`${verdict === 'noticed' ? 'noticed' : 'MISSED '}  ${defect.name} (${seconds} s)`);
      if (verdict === 'noticed') noticed += 1;
      else say(`           ${verdict}`);
    }
    say(`${noticed} of ${planted.length} noticed`);
    return noticed === planted.length;
  } finally {
    checkout.remove();
  }
}

/** 'noticed', or why that cannot be said. */
function plant(checkout: Checkout, { mutations, tests, project, only }: Planted): string {
  const run = { tests, project, only };
  if (!checkout.passes(run)) return 'the tests fail without it';
  checkout.mutate(mutations);
  try {
    const { failed, broken } = checkout.test(run);
    if (failed > 0) return 'noticed';
    return broken > 0 ? 'the tests could not be run with it' : 'every test passed';
  } finally {
    checkout.restore();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
