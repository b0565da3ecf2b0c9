import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { median, range } from './statistics.mjs';

const RESULTS = join(import.meta.dirname, '..', 'results');

/**
 * @typedef {{ what: string, value: string, spread?: string, target?: string }} Row
 * @typedef {{ name: string, title: string, database: Record<string, string>, rows: Row[], raw: unknown }} Report
 */

/** What a reader must know of the machine to make anything of the numbers. */
export function machineFacts() {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    system: `${platform()} ${release()}`,
    loadBefore: loadavg()[0]?.toFixed(2),
  };
}

/**
 * Prints the table and writes all figures to `bench/results/<name>.json`.
 * @param {Report} report
 * @param {ReturnType<typeof machineFacts>} machine
 */
export function publish({ name, title, database, rows, raw }, machine) {
  const about = [
    `${machine.cores} cores`,
    `Node ${machine.node}`,
    ...Object.entries(database).map(([setting, value]) => `${setting} ${value}`),
    `load before ${machine.loadBefore}`,
  ];
  console.log(`\n${title}\n${about.join(', ')}`);
  const cells = [
    ['what', 'median', 'lowest to highest', 'target'],
    ...rows.map(({ what, value, spread = '', target = '' }) => [what, value, spread, target]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  for (const row of cells) {
    console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd());
  }
  mkdirSync(RESULTS, { recursive: true });
  const at = new Date().toISOString();
  writeFileSync(
    join(RESULTS, `${name}.json`),
    `${JSON.stringify({ name, at, machine, database, rows, raw }, null, 2)}\n`,
  );
}

/**
 * A row of the median and the spread of one figure over the rounds.
 * @param {string} what
 * @param {number[]} values
 * @param {{ digits?: number, unit?: string, target?: string }} [options]
 * @returns {Row}
 */
export function rowOf(what, values, { digits = 0, unit = '', target = '' } = {}) {
  const show = (/** @type {number} */ value) =>
    value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
  const { lowest, highest } = range(values);
  const value = `${show(median(values))}${unit}`;
  return { what, value, spread: `${show(lowest)} to ${show(highest)}`, target };
}

/**
 * A row of the ratio of two figures, taken round by round: what else the machine does cancels out.
 * @param {string} what
 * @param {number[]} ours
 * @param {number[]} theirs
 * @param {string} target
 */
export function ratioRow(what, ours, theirs, target) {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? NaN));
  return rowOf(what, ratios, { digits: 3, target });
}
