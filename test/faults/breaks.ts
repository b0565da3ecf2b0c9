import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';
import { type Break, BREAKS } from './break-list.js';
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
async function missedBy(broken: Break): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'consent-broken-'));
  try {
    const programs = build(broken, folder);
    const rounds = planRounds({ seed: SEED, rounds: broken.rounds, short: true, kinds: broken.kinds });
    const { accounts } = await runLab({
      programs,
      rounds,
      drainDeadlineMs: DRAIN_DEADLINE_MS,
      onRound: () => {},
    });
    for (const { rule, broken: examples } of accounts.findings)
      if (examples.length > 0) say(`  broken: ${rule}: ${examples[0]}`);
    return broken.noticedBy.filter(
      (words) =>
        !accounts.findings.some(({ rule, broken: examples }) => rule.includes(words) && examples.length > 0),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy of `dist` in which the edited files alone are built anew. Returns where it is. */
function build({ name, edits }: Break, folder: string): string {
  const programs = join(folder, 'dist');
  cpSync('dist', programs, { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  const sources = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const source = sources.get(file) ?? readFileSync(file, 'utf8');
    // The source has moved on: the break would not be one.
    if (!source.includes(from)) throw new Error(`"${name}" does not fit ${file} any more.`);
    sources.set(
      file,
      source.replace(from, () => to),
    );
  }
  for (const [file, source] of sources) {
    const target = join(programs, file.replace(/^src\//, '').replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, transformSync(source, { filename: file }).code);
  }
  return programs;
}
