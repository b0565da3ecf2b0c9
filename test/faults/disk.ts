import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, truncateSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Enough for the cluster, its log and the records of a long run; small enough to be filled in a second. */
const DISK_BYTES = 1_536 * 1024 * 1024;
/** The disk is filled with pieces that get smaller, so that nothing is left of it. */
const PIECES_BYTES = [8 * 1024 * 1024, 64 * 1024, 4096, 1];

/** A disk of PostgreSQL's own that can be filled, or the reason why there is none. */
export type SmallDisk = { kind: 'mounted'; what: string; folder: string } | { kind: 'none'; reason: string };

/**
 * Mounts a small disk at `folder`: a file with ext4 on it, so that fsync is real; if that is
 * impossible, memory (tmpfs). Only root may mount.
 */
export function mountSmallDisk(folder: string, imageFile: string, bytes = DISK_BYTES): SmallDisk {
  if (process.getuid?.() !== 0) return { kind: 'none', reason: 'only root may mount a small disk' };
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  try {
    closeSync(openSync(imageFile, 'w'));
    truncateSync(imageFile, bytes);
    run('mkfs.ext4', '-q', '-F', '-m', '0', imageFile);
    run('mount', '-o', 'loop', imageFile, folder);
    return { kind: 'mounted', what: 'ext4 on a loop device', folder };
  } catch {
    rmSync(imageFile, { force: true });
  }
  try {
    mountMemory(folder, bytes);
    return { kind: 'mounted', what: 'tmpfs', folder };
  } catch (error) {
    return { kind: 'none', reason: `nothing can be mounted here (${String(error).split('\n')[0]})` };
  }
}

/** Mounts a disk of `bytes` in memory at `folder`. Only root may, and some containers forbid it. */
export function mountMemory(folder: string, bytes: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, 'tmpfs', folder);
}

export function unmount(folder: string): void {
  run('umount', '-l', folder);
}

/**
 * Fills the disk, piece by piece, so that this process, whose callers wait for responses, is not blocked on a slow
 * disk.
 */
export async function fillDisk(folder: string): Promise<void> {
  const filler = await open(fillerOf(folder), 'w');
  try {
    for (const bytes of PIECES_BYTES) await writeUntilFull(filler, Buffer.alloc(bytes, 'x'));
  } finally {
    await filler.close();
  }
}

export function freeDisk(folder: string): void {
  rmSync(fillerOf(folder), { force: true });
}

function fillerOf(folder: string): string {
  return join(folder, 'filler');
}

async function writeUntilFull(file: FileHandle, piece: Buffer): Promise<void> {
  try {
    for (;;) if ((await file.write(piece)).bytesWritten < piece.length) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
