import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childPids } from '../../support/programs/processes.js';
import { readPostmaster } from './database.js';

const NAME = 'consent-lab-slow-disk';
/** A commit needs at least one write. */
const WRITES_PER_SECOND = 15;

interface Throttle {
  root: string;
  file: string;
  limit(device: string, perSecond: number | null): string;
}

/** The kernel's limits of writes, by version of its control groups. */
const THROTTLES: Throttle[] = [
  {
    root: '/sys/fs/cgroup/blkio',
    file: 'blkio.throttle.write_iops_device',
    limit: (device, perSecond) => `${device} ${perSecond ?? 0}`,
  },
  {
    root: '/sys/fs/cgroup',
    file: 'io.max',
    limit: (device, perSecond) => `${device} wiops=${perSecond ?? 'max'}`,
  },
];

/** Why no disk can be slowed here; null: it can. */
export function slowDiskRefusal(): string | null {
  try {
    rmdirSync(makeGroup().group);
    return null;
  } catch (error) {
    return `no control group limits writes here (${String(error).split('\n')[0]})`;
  }
}

/** Few writes a second for the server whose data is in `dataFolder`, until the returned function is called. */
export function slowDisk(dataFolder: string): () => void {
  const { throttle, group } = makeGroup();
  const { dev } = statSync(dataFolder);
  const device = `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  const postmaster = readPostmaster(dataFolder);
  writeFileSync(join(group, throttle.file), throttle.limit(device, WRITES_PER_SECOND));
  move([postmaster, ...childPids(postmaster)], group);
  return () => {
    writeFileSync(join(group, throttle.file), throttle.limit(device, null));
    move(
      readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number),
      throttle.root,
    );
    // A process that has just ended may still be in it; the next round finds the group and uses it.
    try {
      rmdirSync(group);
    } catch {}
  };
}

function makeGroup(): { throttle: Throttle; group: string } {
  const throttle = THROTTLES.find(
    ({ root }) => existsSync(join(root, 'cgroup.procs')) && (/blkio$/.test(root) || hasIo(root)),
  );
  if (!throttle) throw new Error('neither blkio nor io is there');
  const group = join(throttle.root, NAME);
  mkdirSync(group, { recursive: true });
  if (!existsSync(join(group, throttle.file))) throw new Error(`${throttle.file} is not there`);
  return { throttle, group };
}

function hasIo(root: string): boolean {
  if (!/\bio\b/.test(readFileSync(join(root, 'cgroup.controllers'), 'utf8'))) return false;
  writeFileSync(join(root, 'cgroup.subtree_control'), '+io');
  return true;
}

function move(pids: number[], group: string): void {
  for (const pid of pids) {
    try {
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
    } catch (error) {
      // It has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
