import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillDisk, freeDisk, mountMemory, unmount } from '../faults/disk.js';
import { emptyReport, ManyMachines, missing } from '../support/programs/many-machines.js';
import { until } from '../support/until.js';

const MEGABYTE = 1024 * 1024;
/** A few segments of WAL, or the tables of an empty service. */
const DISK_BYTES = 96 * MEGABYTE;
/** Refusals that the callers see before there is space again. */
const REFUSALS = 60;
const CALLERS = 40;

/** Why no disk can be mounted here, or null. */
function whyNoDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'consent-disk-'));
  try {
    mountMemory(folder, MEGABYTE);
    unmount(folder);
    return null;
  } catch {
    return 'mount is not allowed here';
  } finally {
    rmdirSync(folder);
  }
}

/** Until PostgreSQL finds no space for another segment, and ends. */
async function useUpWal(machines: ManyMachines): Promise<void> {
  await until('no segment is left', () =>
    machines.query("select pg_logical_emit_message(false, 'x', 'x'), pg_switch_wal()").then(
      () => false,
      () => true,
    ),
  );
}

const skipped = whyNoDisk();
const title = 'ingest while a disk of PostgreSQL is full';

(skipped ? describe.skip : describe)(skipped ? `SKIPPED (${skipped}): ${title}` : title, () => {
  let machines: ManyMachines;
  let projectId: string;
  const disks: string[] = [];

  beforeAll(async () => {
    machines = await ManyMachines.start();
    await machines.startWorker();
    projectId = await machines.forwardingProject();
    await machines.query('update forwarding_settings set retry_failures = true');
  });

  afterAll(async () => {
    await machines.killPostgres();
    disks.forEach(unmount);
    await machines.close();
  });

  it.each([
    { what: 'tables', folder: 'base' },
    { what: 'WAL', folder: 'pg_wal' },
  ])('returns 503 with Retry-After, and loses nothing: $what', async ({ folder }) => {
    const disk = await machines.moveToSmallDisk(folder, DISK_BYTES);
    disks.push(disk);
    const report = emptyReport();
    const stop = machines.startLoad([projectId], CALLERS, report);
    await until('records are stored', () => report.acknowledged.length > 100);
    await fillDisk(disk);
    if (folder === 'pg_wal') await useUpWal(machines);
    await until('callers are refused', () => report.unavailable > REFUSALS);
    // A supervisor starts PostgreSQL again and again.
    const revived = machines.revivePostgres();
    await until('callers are refused still', () => report.unavailable > 2 * REFUSALS);
    freeDisk(disk);
    await revived;
    const before = report.acknowledged.length;
    await until('records are stored again', () => report.acknowledged.length > before + 100);
    await stop();
    const stored = await machines.stored([projectId]);
    expect({
      unexpected: report.unexpected,
      notStored: missing(report.acknowledged, stored),
    }).toEqual({ unexpected: [], notStored: [] });
    await until('all are delivered', () => missing(stored, machines.received()).length === 0);
  });
});
