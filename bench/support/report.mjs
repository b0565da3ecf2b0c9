import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { isFullSize } from './scale.mjs';
import { median, range } from './statistics.mjs';

const RESULTS = join(import.meta.dirname, '..', 'results');

/**
 * What a figure has to reach. Every bound named must hold, or, with `either`, one of them.
 *
 * @typedef {{ atLeast?: number, atMost?: number, ratioAtLeast?: number, ratioAtMost?: number,
 *             differenceAtMost?: number, either?: boolean }} Target
 * @typedef {{ what: string, target: string, baseline: string, ours: string, ratio: string, spread: string,
 *             met: boolean | null }} Row
 * @typedef {{ name: string, title: string, database: Record<string, string>, rows: Row[], raw: unknown }} Report
 */

/** The facts about the machine that a reader needs to interpret the numbers. */
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
 * A row of one figure over the rounds: the median of ours, of the baseline's and of their ratio, which is
 * taken round by round, so that what else the machine does cancels out. The spread is that of the ratio where
 * there is a baseline, else that of our figure.
 * @param {{ what: string, ours: number[], baseline?: number[], unit?: string, digits?: number, target?: Target }} figure
 * @returns {Row}
 */
export function row({ what, ours, baseline, unit = '', digits = 0, target = {} }) {
  const ratios = baseline?.map((value, round) => (ours[round] ?? NaN) / value);
  const spread = ratios ? range(ratios) : range(ours);
  const show = (/** @type {number} */ value) => `${format(value, digits)}${unit}`;
  return {
    what,
    target: describe(target, show),
    baseline: baseline ? show(median(baseline)) : '',
    ours: show(median(ours)),
    ratio: ratios ? formatRatio(median(ratios)) : '',
    spread: ratios
      ? `${formatRatio(spread.lowest)} to ${formatRatio(spread.highest)}`
      : `${format(spread.lowest, digits)} to ${format(spread.highest, digits)}`,
    met: isMet(target, {
      ours: median(ours),
      ratio: ratios ? median(ratios) : NaN,
      difference: baseline ? median(ours) - median(baseline) : NaN,
    }),
  };
}

/**
 * @param {Target} target
 * @param {{ ours: number, ratio: number, difference: number }} reached
 */
function isMet(target, { ours, ratio, difference }) {
  const held = [
    target.atLeast !== undefined && ours >= target.atLeast,
    target.atMost !== undefined && ours <= target.atMost,
    target.ratioAtLeast !== undefined && ratio >= target.ratioAtLeast,
    target.ratioAtMost !== undefined && ratio <= target.ratioAtMost,
    target.differenceAtMost !== undefined && difference <= target.differenceAtMost,
  ].filter(Boolean).length;
  if (!isFullSize()) return null;
  const asked = Object.keys(target).filter((name) => name !== 'either').length;
  if (asked === 0) return null;
  return target.either ? held > 0 : held === asked;
}

/**
 * @param {Target} target
 * @param {(value: number) => string} show
 */
function describe(target, show) {
  return [
    target.atLeast !== undefined && `at least ${show(target.atLeast)}`,
    target.atMost !== undefined && `at most ${show(target.atMost)}`,
    target.ratioAtLeast !== undefined && `ratio at least ${target.ratioAtLeast}`,
    target.ratioAtMost !== undefined && `ratio at most ${target.ratioAtMost}`,
    target.differenceAtMost !== undefined && `at most ${show(target.differenceAtMost)} more`,
  ]
    .filter(Boolean)
    .join(target.either ? ' or ' : ', ');
}

/**
 * @param {number} value
 * @param {number} digits
 */
function format(value, digits) {
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

/** @param {number} value */
function formatRatio(value) {
  if (!Number.isFinite(value)) return 'none';
  return value >= 10 ? format(value, 1) : format(value, 3);
}

const COLUMNS = /** @type {const} */ (['what', 'target', 'baseline', 'ours', 'ratio', 'spread', 'met']);

/** Rows of several benches name theirs in the first column. @param {(Row & { bench?: string })[]} rows */
export function printTable(rows) {
  const columns = rows.some(({ bench }) => bench) ? /** @type {const} */ (['bench', ...COLUMNS]) : COLUMNS;
  const cells = [
    [...columns],
    ...rows.map((row) =>
      columns.map((column) => {
        const value = row[column];
        if (typeof value === 'boolean') return value ? 'yes' : 'NO';
        return value ?? '';
      }),
    ),
  ];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) {
    console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
  }
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
  printTable(rows);
  mkdirSync(RESULTS, { recursive: true });
  const at = new Date().toISOString();
  writeFileSync(
    join(RESULTS, `${name}.json`),
    `${JSON.stringify({ name, at, machine, database, rows, raw }, null, 2)}\n`,
  );
}
