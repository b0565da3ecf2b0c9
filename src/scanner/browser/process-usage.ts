import { readdirSync, readFileSync } from 'node:fs';

/** A page fills half a gigabyte in less than half a second. */
const LOOK_EVERY_MS = 250;
const KILOBYTE = 1024;

interface Watch {
  /** Part of the command line of a child of this process; processes of other programs do not have it. */
  marker: string;
  bytesMax: number;
  /** Called once, with the process's id. */
  onFound: (pid: number) => void;
  onExceeded: () => void;
}

/**
 * Kills a process with all that it started once they use too much memory together. Needs `/proc`; elsewhere nothing
 * is watched. Returns what ends the watch.
 */
export function watchMemory({ marker, bytesMax, onFound, onExceeded }: Watch): () => void {
  let root: number | null = null;
  const looking = setInterval(() => {
    if (root === null) {
      root = findProcess(marker);
      if (root === null) return;
      onFound(root);
    }
    const tree = treeOf(root);
    if (sum(tree.map(memoryOf)) <= bytesMax) return;
    clearInterval(looking);
    onExceeded();
    for (const pid of tree) kill(pid);
  }, LOOK_EVERY_MS);
  looking.unref();
  return () => clearInterval(looking);
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
