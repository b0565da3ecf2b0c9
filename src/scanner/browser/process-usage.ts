import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A page fills half a gigabyte of memory in less than half a second. */
const LOOK_EVERY_MS = 250;
const KILOBYTE = 1024;
const BLOCK_BYTES = 512;
const FILE_BYTES_MIN = 4_096;
/** How long killed processes may take to end. */
const END_TIMEOUT_MS = 5_000;
const END_POLL_MS = 50;

/** The limit that a browser exceeded. */
export type UsageLimit = 'memory_limit' | 'disk_limit';

interface Watch {
  /** Part of the command line of a child of this process; processes of other programs do not have it. */
  marker: string;
  bytesMax: number;
  /** Where the processes write. */
  folder: string;
  folderBytesMax: number;
  /** Called once, with the process's id. */
  onFound: (pid: number) => void;
  onExceeded: (limit: UsageLimit) => void;
}

/**
 * Kills a process with all that it started once they use too much memory together, or write too much. Needs `/proc`;
 * elsewhere nothing is watched. Returns what ends the watch.
 */
export function watchUsage({
  marker,
  bytesMax,
  folder,
  folderBytesMax,
  onFound,
  onExceeded,
}: Watch): () => void {
  let root: number | null = null;
  const looking = setInterval(() => {
    if (root === null) {
      root = findProcess(marker);
      if (root === null) return;
      onFound(root);
    }
    const tree = treeOf(root);
    const needsTooMuch = sum(tree.map(memoryOf)) > bytesMax;
    if (!needsTooMuch && sizeOf(folder) <= folderBytesMax) return;
    clearInterval(looking);
    onExceeded(needsTooMuch ? 'memory_limit' : 'disk_limit');
    for (const pid of tree) kill(pid);
  }, LOOK_EVERY_MS);
  looking.unref();
  return () => clearInterval(looking);
}

/**
 * Kills the processes that have the marker on their command line, with all that they started, and waits until they have
 * ended. Needs `/proc`.
 */
export async function endProcesses(marker: string): Promise<void> {
  const deadlineMs = performance.now() + END_TIMEOUT_MS;
  for (;;) {
    const left = processes().filter((pid) => read(pid, 'cmdline').includes(marker));
    if (left.length === 0 || performance.now() > deadlineMs) return;
    for (const pid of new Set(left.flatMap(treeOf))) kill(pid);
    await sleep(END_POLL_MS);
  }
}

/** The child of this process; processes that it starts have the marker, too. */
function findProcess(marker: string): number | null {
  const found = processes().find((pid) => {
    return parentOf(pid) === process.pid && read(pid, 'cmdline').includes(marker);
  });
  return found ?? null;
}

/** A process and everything below it. */
function treeOf(root: number): number[] {
  const children = Map.groupBy(processes(), parentOf);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The name of a program, in parentheses, can contain anything. */
function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

/** Memory that is a process's own or shared between processes; files that are mapped do not count. */
function memoryOf(pid: number): number {
  const lines = [...read(pid, 'status').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return sum(lines.map(([, kilobytes]) => Number(kilobytes) * KILOBYTE));
}

/** The disk space that the files of a folder take; also an empty file takes an inode. */
function sizeOf(root: string): number {
  const folders = [root];
  let bytes = 0;
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const { blocks } = lstatSync(path, { throwIfNoEntry: false }) ?? { blocks: 0 };
      bytes += Math.max(blocks * BLOCK_BYTES, FILE_BYTES_MIN);
    }
  }
  return bytes;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The page deleted it.
    return [];
  }
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
