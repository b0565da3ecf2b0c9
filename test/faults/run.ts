import type { Client } from 'pg';
import { until } from '../support/until.js';
import { account, type Accounts, TO_BE_DONE } from './accounting.js';
import { Load, type Trouble } from './load.js';
import { Outages } from './outages.js';
import { pause } from './pause.js';
import type { LabInstallation, LabSetup, RunningLab } from './lab.js';
import type { Round } from './plan.js';
import { sealed, Witness } from './evidence-log.js';

/** Load before the first round and after the last one. */
const WARM_UP_MS = 1_000;
const COOL_DOWN_MS = 1_000;
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** The outbox must be empty this long after the load ended, and no retry wait: leases end well before. */
const DRAIN_DEADLINE_MS = 60_000;

/** The result of one round. */
export interface RoundReport extends Round<string> {
  /** Seconds since the begin of the run at which the fault came, and how long it and the healing took. */
  atSeconds: number;
  faultSeconds: number;
  healSeconds: number;
  /** The longest time without an acknowledged record. */
  silentSeconds: number;
  skipped: string | null;
  /** Why the fault or the healing failed; null: neither did. */
  unhealed: string | null;
  /** The parts that it meets, where they have names. */
  met?: string;
  acknowledged: number;
  seen: Record<Trouble['what'], number>;
}

export interface RunReport {
  rounds: RoundReport[];
  drainSeconds: number;
  disk: string;
  accounts: Accounts;
  outputs: string[];
}

/**
 * Runs the rounds and summarizes the results. Calls `onRound` after each round.
 */
export async function runLab<OneRound extends Round<string>, Installation extends LabInstallation>(options: {
  setup: LabSetup<OneRound, Installation>;
  rounds: OneRound[];
  onRound: (report: RoundReport) => void;
  drainDeadlineMs?: number;
  /** No further round begins after so long. */
  roundsMaxMs?: number;
}): Promise<RunReport> {
  const { setup, rounds, onRound, drainDeadlineMs = DRAIN_DEADLINE_MS, roundsMaxMs = Infinity } = options;
  const installation = await setup.start();
  // A run that is ended early leaves no process and no mounted disk behind.
  const end = (): void => void installation.close().finally(() => process.exit(1));
  for (const signal of ENDING_SIGNALS) process.once(signal, end);
  try {
    const projects = await installation.makeProjects();
    const outages = new Outages();
    const load = new Load(
      { apis: installation.baseUrls, projectIds: [...projects.forwarding, projects.silent] },
      setup.pace,
    );
    const witness = new Witness(installation);
    const lab: RunningLab<Installation> = {
      installation,
      outages,
      absences: [],
      load,
      witness,
      died: [],
      unhealed: [],
      missing: [],
    };
    load.start();
    witness.start();
    await pause(WARM_UP_MS);
    const startedMs = performance.now();
    const reports: RoundReport[] = [];
    for (const round of rounds) {
      if (performance.now() - startedMs > roundsMaxMs) break;
      const report = await runRound(setup, { lab, round, startedMs });
      reports.push(report);
      onRound(report);
    }
    await pause(COOL_DOWN_MS);
    await load.stop();
    const drainSeconds = await drained(installation, drainDeadlineMs);
    await sealed(installation);
    await witness.stop();
    return {
      rounds: reports,
      drainSeconds,
      disk: installation.diskText,
      accounts: await account({ ...lab, projects, isAllowed: setup.isAllowed }),
      outputs: installation.outputs(),
    };
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, end);
    await installation.close();
  }
}

async function runRound<OneRound extends Round<string>, Installation extends LabInstallation>(
  setup: LabSetup<OneRound, Installation>,
  { lab, round, startedMs }: { lab: RunningLab<Installation>; round: OneRound; startedMs: number },
): Promise<RoundReport> {
  const { installation, load } = lab;
  const troublesBefore = load.troubles.length;
  const acknowledgedBefore = load.acknowledged.size;
  const skipped = setup.skipped(installation, round);
  let unhealed: string | null = null;
  await pause(round.beforeMs);
  load.takeLongestGapMs();
  const faultMs = performance.now();
  let healMs = faultMs;
  if (skipped === null) {
    try {
      await setup.cause(lab, round);
      healMs = performance.now();
      lab.died.push(...(await installation.restartDead()).map((text) => `round ${round.number}: ${text}`));
      await installation.healed();
    } catch (error) {
      unhealed = error instanceof Error ? error.message : String(error);
      lab.unhealed.push(`round ${round.number} (${round.kind}): ${unhealed}`);
      await installation.restartDead();
    }
  }
  const acknowledged = [...load.acknowledged].slice(acknowledgedBefore);
  const missing = await installation
    .withDatabase((client) => notStored(client, acknowledged))
    .catch((error: unknown) => {
      lab.unhealed.push(`round ${round.number} (${round.kind}): records could not be compared: ${error}`);
      return [];
    });
  lab.missing.push(...missing.map((id) => `${id}, round ${round.number}`));
  const seen = { unavailable: 0, refused: 0, broken: 0, late: 0, other: 0 };
  for (const { what } of load.troubles.slice(troublesBefore)) seen[what] += 1;
  return {
    ...round,
    atSeconds: (faultMs - startedMs) / 1000,
    faultSeconds: (healMs - faultMs) / 1000,
    healSeconds: (performance.now() - healMs) / 1000,
    silentSeconds: load.takeLongestGapMs() / 1000,
    skipped,
    unhealed,
    acknowledged: acknowledged.length,
    seen,
  };
}

async function notStored(client: Client, ids: string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select id from unnest($1::uuid[]) as given (id) except select id from consent_record where id = any($1)',
    [ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * Waits until the outbox is empty, up to a deadline; remaining messages are a finding. Returns the
 * seconds.
 */
async function drained(installation: LabInstallation, deadlineMs: number): Promise<number> {
  const startedMs = performance.now();
  const isEmpty = (): Promise<boolean> =>
    installation.withDatabase(async (client) => {
      const { rows } = await client.query(
        `select 1 ${TO_BE_DONE} union all select 1 from delivery_retry limit 1`,
      );
      return rows.length === 0;
    });
  await until('the outbox is empty', isEmpty, deadlineMs).catch(() => false);
  return (performance.now() - startedMs) / 1000;
}
