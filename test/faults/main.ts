// The fault lab: `npm run faults`, see docs/faults.md.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runBreaks } from './breaks.js';
import { copyBuild } from './build.js';
import { FAULT_KINDS, planRounds } from './plan.js';
import { processFaults } from './faults.js';
import { networkFaults } from './network/faults.js';
import { isInside, isolated, networkRefusal } from './network/isolated.js';
import { NETWORK_KINDS, planNetworkRounds } from './network/plan.js';
import { say, sayAccounts, sayHead, sayRound, sayTimes, writeReport } from './report.js';
import { runLab, type RunReport } from './run.js';

const LONG_ROUNDS = 50;
const ROUNDS_MAX = 1_000;
const SEED_MAX = 2 ** 31;
/** Consents a second of the network lab. */
const NETWORK_RATE = { usual: 300, max: 10_000 };
const MINUTES_MAX = 10_000;
const REPORT_FOLDER = 'test/faults/results';
/** A run that takes longer has failed; it is stopped, and the state that it left is reported. */
const SECONDS_MAX = { perRound: 40, beside: 150 };
/** Of two of the network's faults the database's lease of 20 s is a part. */
const NETWORK_SECONDS_MAX = { perRound: 60, beside: 300 };

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    network: { type: 'boolean', default: false },
    rate: { type: 'string' },
    minutes: { type: 'string' },
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

function kindsOf<Kind extends string>(all: readonly Kind[], text: string | undefined): readonly Kind[] {
  if (text === undefined) return all;
  const wanted = text.split(',');
  const kinds = all.filter((kind) => wanted.includes(kind));
  if (kinds.length === wanted.length) return kinds;
  say(`--only takes a comma-separated list of ${all.join(', ')}.`);
  return process.exit(2);
}

if (options.breaks || options.break.length > 0) {
  process.exit((await runBreaks(options.break)) ? 0 : 1);
}

const { short, network } = options;
const seed = whole('seed', options.seed, randomInt(SEED_MAX), SEED_MAX);
const perSecond = whole('rate', options.rate, NETWORK_RATE.usual, NETWORK_RATE.max);
const minutes = whole('minutes', options.minutes, MINUTES_MAX, MINUTES_MAX);
const allKinds = network ? NETWORK_KINDS : FAULT_KINDS;
const rounds = whole('rounds', options.rounds, short ? allKinds.length : LONG_ROUNDS, ROUNDS_MAX);
const { perRound, beside } = network ? NETWORK_SECONDS_MAX : SECONDS_MAX;
const deadlineMs = (rounds * perRound + beside) * 1000;

if (network && !isInside()) {
  const refusal = networkRefusal();
  if (refusal === null) process.exit(await isolated(deadlineMs));
  say(`SKIPPED, the lab of network faults: ${refusal}`);
  process.exit(0);
}

const again = [
  ...(network ? ['--network'] : []),
  `--seed ${seed} --rounds ${rounds}`,
  ...(options.rate ? [`--rate ${perSecond}`] : []),
  ...(short ? ['--short'] : []),
  ...(options.only ? [`--only ${options.only}`] : []),
].join(' ');
say(`Fault lab, seed ${seed}, ${rounds} rounds. The same once more: npm run faults -- ${again}`);
const deadline = setTimeout(() => {
  say('The lab did not come to its end in time.');
  process.kill(process.pid, 'SIGTERM');
}, deadlineMs);
const startedMs = performance.now();
const build = copyBuild();
process.once('exit', () => build.remove());
sayHead();
const report = await (network ? runNetwork(build.programs) : runProcesses(build.programs));
clearTimeout(deadline);
sayTimes(report.rounds);
sayAccounts(report.accounts);
say();
say(
  `PostgreSQL's disk: ${report.disk}. The outbox was empty ${report.drainSeconds.toFixed(1)} s after the load ended.`,
);
const seconds = Math.round((performance.now() - startedMs) / 1000);
const reportFile = `${REPORT_FOLDER}/${network ? 'network' : 'faults'}.json`;
writeReport(reportFile, { seed, again, at: new Date().toISOString(), seconds, ...report });
const broken = report.accounts.findings.filter((finding) => finding.broken.length > 0);
say(
  broken.length === 0
    ? `All rules hold after ${report.rounds.length} rounds in ${seconds} s. ${reportFile} has everything.`
    : `${broken.length} rules are broken. Once more: npm run faults -- ${again}`,
);
process.exit(broken.length === 0 ? 0 : 1);

function runProcesses(programs: string): Promise<RunReport> {
  const plan = planRounds({ seed, rounds, short, kinds: kindsOf(FAULT_KINDS, options.only) });
  return runLab({ setup: processFaults(programs, plan), rounds: plan, onRound: sayRound });
}

function runNetwork(programs: string): Promise<RunReport> {
  const plan = planNetworkRounds({ seed, rounds, short, kinds: kindsOf(NETWORK_KINDS, options.only) });
  return runLab({
    setup: networkFaults({ programs, perSecond, rounds: plan }),
    rounds: plan,
    onRound: sayRound,
    roundsMaxMs: minutes * 60_000,
  });
}
