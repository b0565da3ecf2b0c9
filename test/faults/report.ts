import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Accounts } from './accounting.js';
import type { RoundReport, RunReport } from './run.js';

const COLUMNS = [
  { title: 'round', width: 5 },
  { title: 'fault', width: 36 },
  { title: 'at s', width: 7 },
  { title: 'fault s', width: 7 },
  { title: 'healed s', width: 8 },
  { title: 'stored', width: 7 },
  { title: 'what callers saw beside 200 and 201', width: 0 },
];

export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function sayHead(): void {
  say(row(COLUMNS.map(({ title }) => title)));
}

export function sayRound(round: RoundReport): void {
  const isAimed = /^(kill|stop)-(api|worker)|^(worker-)?clock/.test(round.kind);
  const seen = Object.entries(round.seen).filter(([, times]) => times > 0);
  const callers = seen.map(([what, times]) => `${times} ${what}`).join(', ') || '–';
  say(
    row([
      String(round.number),
      round.met ? `${round.kind} ${round.met}` : isAimed ? `${round.kind} ${round.target}` : round.kind,
      round.atSeconds.toFixed(1),
      round.faultSeconds.toFixed(1),
      round.healSeconds.toFixed(1),
      String(round.acknowledged),
      round.skipped === null ? callers : `SKIPPED: ${round.skipped}`,
    ]),
  );
  if (round.unhealed !== null) say(`         ${round.unhealed}`);
}

/** The time without an acknowledged record, and until everything was ready, by kind of fault. */
export function sayTimes(rounds: readonly RoundReport[]): void {
  say();
  const title =
    'seconds without an acknowledged record: median, worst; of the fault and until ready: the same';
  say(`  ${'fault'.padEnd(24)}rounds  ${title}`);
  const ran = rounds.filter(({ skipped }) => skipped === null);
  for (const [kind, of] of Map.groupBy(ran, (round) => round.kind)) {
    const silent = medianAndWorst(of.map(({ silentSeconds }) => silentSeconds));
    const ready = medianAndWorst(of.map(({ faultSeconds, healSeconds }) => faultSeconds + healSeconds));
    say(`  ${kind.padEnd(24)}${String(of.length).padEnd(8)}${silent}; ${ready}`);
  }
}

function medianAndWorst(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1)}, ${(sorted.at(-1) ?? 0).toFixed(1)}`;
}

export function sayAccounts({ counts, findings, histories }: Accounts): void {
  say();
  for (const [what, count] of Object.entries(counts)) say(`  ${wordsOf(what).padEnd(32)} ${count}`);
  say();
  for (const { rule, broken } of findings) {
    say(`  ${broken.length === 0 ? 'holds ' : 'BROKEN'}  ${rule}`);
    for (const example of broken) say(`            ${example}`);
  }
  for (const [id, lines] of Object.entries(histories)) {
    say(`\n  what happened to ${id}`);
    for (const line of lines) say(`    ${line}`);
  }
}

/** Writes all of it to a file that is not checked in. */
export function writeReport(file: string, report: RunReport & Record<string, unknown>): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

function row(cells: string[]): string {
  return `  ${cells.map((cell, index) => cell.padEnd(COLUMNS[index]?.width ?? 0)).join('  ')}`.trimEnd();
}

/** `inTheDeliveryLog` is `in the delivery log`. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
