import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE_BYTES = 4_096;
/** What Linux counts processor time in (USER_HZ). */
const TICKS_PER_SECOND = 100;
const MEBIBYTE = 1024 ** 2;
// Fields of /proc/<pid>/stat behind the name in brackets, which may hold anything.
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const CHILD_USER_TICKS = 13;
const CHILD_SYSTEM_TICKS = 14;

/** Memory that a process holds, in MiB; 0 where there is none. @param {number} pid */
export function residentMb(pid) {
  if (!existsSync(`/proc/${pid}`)) return 0;
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * PAGE_BYTES) / MEBIBYTE;
}

/** Processor time that a process has used, in seconds. @param {number} pid */
export function cpuSeconds(pid) {
  const stat = statOf(pid);
  if (!stat) return 0;
  return (Number(stat[USER_TICKS]) + Number(stat[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}

/** The same with all children, those that have ended too: for PostgreSQL. @param {number} pid */
export function cpuSecondsOfTree(pid) {
  const stat = statOf(pid);
  if (!stat) return 0;
  const ended = (Number(stat[CHILD_USER_TICKS]) + Number(stat[CHILD_SYSTEM_TICKS])) / TICKS_PER_SECOND;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.[PARENT] === String(pid))
    .map(Number);
  return cpuSeconds(pid) + ended + children.reduce((sum, child) => sum + cpuSeconds(child), 0);
}

/**
 * A process and everything below it, with their command lines.
 * @param {number} pid
 * @returns {{ pid: number, command: string }[]}
 */
export function processTree(pid) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(Number(name))?.[PARENT]) }));
  const below = (/** @type {number} */ of) =>
    parents.filter(({ parent }) => parent === of).flatMap((child) => [child.pid, ...below(child.pid)]);
  return [pid, ...below(pid)].map((one) => ({ pid: one, command: commandOf(one) }));
}

/**
 * Memory of a process in MiB, with its part of the pages that it shares (PSS).
 * @param {number} pid
 */
export function proportionalMb(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
  } catch {
    return residentMb(pid);
  }
}

/** @param {number} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** The first process of the PostgreSQL that was started below `folder`. @param {string} folder */
export function postgresPid(folder) {
  const found = [join(folder, 'postgres', 'data', 'postmaster.pid')].find((file) => existsSync(file));
  if (!found) throw new Error('the pid of PostgreSQL is not where it was expected');
  return Number(readFileSync(found, 'utf8').split('\n')[0]);
}

/** @param {number} pid */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
