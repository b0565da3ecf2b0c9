// The fault lab: `npm run faults`, see docs/faults.md.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runBreaks } from './breaks.js';
import { copyBuild } from './build.js';
import { FAULT_KINDS, type FaultKind, planRounds } from './plan.js';
import { say, sayAccounts, sayHead, sayRound, writeReport } from './report.js';
import { runLab } from './run.js';

const LONG_ROUNDS = 50;
const ROUNDS_MAX = 1_000;
const SEED_MAX = 2 ** 31;
const REPORT_FILE = 'test/faults/results/faults.json';
/** A run that takes longer has failed; it is stopped, and the state that it left is reported. */
const SECONDS_PER_ROUND_MAX = 40;
const SECONDS_BESIDE_MAX = 150;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    breaks: { type: 'boolean', default: false },
    break: { type: 'string', multiple: true, default: [] },
  },
});

/** A whole number within bounds, or the end of the program with a sentence. */
function whole(name: string, text: string | undefined, fallback: number, max: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  say(`--${name} must be a whole number from 0 to ${max}.`);
  return process.exit(2);
}

function kindsOf(text: string | undefined): readonly FaultKind[] {
  if (text === undefined) return FAULT_KINDS;
  const wanted = text.split(',');
  const kinds = FAULT_KINDS.filter((kind) => wanted.includes(kind));
  if (kinds.length === wanted.length) return kinds;
  say(`--only takes a comma-separated list of ${FAULT_KINDS.join(', ')}.`);
  return process.exit(2);
}

const seed = whole('seed', options.seed, randomInt(SEED_MAX), SEED_MAX);
const kinds = kindsOf(options.only);
const rounds = whole('rounds', options.rounds, options.short ? kinds.length : LONG_ROUNDS, ROUNDS_MAX);

if (options.breaks || options.break.length > 0) {
  process.exit((await runBreaks(options.break)) ? 0 : 1);
}

const again = [
  `--seed ${seed} --rounds ${rounds}`,
  ...(options.short ? ['--short'] : []),
  ...(options.only ? [`--only ${options.only}`] : []),
].join(' ');
say(`Fault lab, seed ${seed}, ${rounds} rounds. The same once more: npm run faults -- ${again}`);
const deadline = setTimeout(
  () => {
    say('The lab did not come to its end in time.');
    process.kill(process.pid, 'SIGTERM');
  },
  (rounds * SECONDS_PER_ROUND_MAX + SECONDS_BESIDE_MAX) * 1000,
);
const startedMs = performance.now();
const build = copyBuild();
process.once('exit', () => build.remove());
sayHead();
const report = await runLab({
  programs: build.programs,
  rounds: planRounds({ seed, rounds, short: options.short, kinds }),
  onRound: sayRound,
});
clearTimeout(deadline);
sayAccounts(report.accounts);
say();
say(
  `PostgreSQL's disk: ${report.disk}. The outbox was empty ${report.drainSeconds.toFixed(1)} s after the load ended.`,
);
const seconds = Math.round((performance.now() - startedMs) / 1000);
writeReport(REPORT_FILE, { seed, again, at: new Date().toISOString(), seconds, ...report });
const broken = report.accounts.findings.filter((finding) => finding.broken.length > 0);
say(
  broken.length === 0
    ? `All rules hold after ${rounds} rounds in ${seconds} s. ${REPORT_FILE} has everything.`
    : `${broken.length} rules are broken. Once more: npm run faults -- ${again}`,
);
process.exit(broken.length === 0 ? 0 : 1);
