import { type Break, BREAKS } from './break-list.js';
import { copyBuild } from './build.js';
import { processFaults } from './faults.js';
import { planRounds } from './plan.js';
import { say } from './report.js';
import { runLab } from './run.js';

/** The same for every break, so that two runs differ in nothing else. */
const SEED = 1;
/** Long enough for a lease to run out and be noticed by the heartbeat. */
const DRAIN_DEADLINE_MS = 15_000;

/**
 * Runs the lab against services that are broken on purpose, all or those whose name holds one of the words.
 * Returns whether each was noticed by every rule that had to.
 */
export async function runBreaks(words: string[]): Promise<boolean> {
  const wanted = BREAKS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  if (wanted.length === 0)
    throw new Error(`There is no such break. There are: ${BREAKS.map(({ name }) => name).join('; ')}.`);
  let allNoticed = true;
  for (const broken of wanted) {
    const startedMs = performance.now();
    const missed = await missedBy(broken);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    say(`${missed.length === 0 ? 'noticed' : 'MISSED '}  a service that ${broken.name} (${seconds} s)`);
    for (const rule of missed) say(`           not by: ${rule}`);
    allNoticed &&= missed.length === 0;
  }
  return allNoticed;
}

/** The rules that should have noticed it and did not. */
async function missedBy({ mutations, rounds, kinds, noticedBy }: Break): Promise<string[]> {
  const build = copyBuild(mutations);
  try {
    const plan = planRounds({ seed: SEED, rounds, short: true, kinds });
    const { accounts } = await runLab({
      setup: processFaults(build.programs, plan),
      rounds: plan,
      drainDeadlineMs: DRAIN_DEADLINE_MS,
      onRound: () => {},
    });
    const noticed = accounts.findings.filter(({ broken }) => broken.length > 0);
    for (const { rule, broken } of noticed) say(`  broken: ${rule}: ${broken[0]}`);
    return noticedBy.filter((words) => !noticed.some(({ rule }) => rule.includes(words)));
  } finally {
    build.remove();
  }
}
