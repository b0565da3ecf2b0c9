import { until } from '../support/until.js';
import type { Absence } from './absences.js';
import { account, type Accounts, TO_BE_DONE } from './accounting.js';
import { FAULTS, pause } from './faults.js';
import { Installation } from './installation.js';
import { Load, type Trouble } from './load.js';
import { Outages } from './outages.js';
import type { Round } from './plan.js';
import { sealed, Witness } from './evidence-log.js';

const PACE = { callers: 24, perSecond: 160 };
/** Load before the first round and after the last one. */
const WARM_UP_MS = 1_000;
const COOL_DOWN_MS = 1_000;
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** The outbox must be empty this long after the load ended, and no retry wait: leases end well before. */
const DRAIN_DEADLINE_MS = 60_000;

/** The result of one round. */
export interface RoundReport extends Round {
  /** Seconds since the begin of the run at which the fault came, and how long it and the healing took. */
  atSeconds: number;
  faultSeconds: number;
  healSeconds: number;
  skipped: string | null;
  acknowledged: number;
  seen: Record<Trouble['what'], number>;
}

export interface RunReport {
  rounds: RoundReport[];
  drainSeconds: number;
  disk: string;
  accounts: Accounts;
}

/**
 * Runs the rounds against the built service in `programs` and summarizes the results. Calls
 * `onRound` after each round.
 */
export async function runLab(options: {
  programs: string;
  rounds: Round[];
  onRound: (report: RoundReport) => void;
  drainDeadlineMs?: number;
}): Promise<RunReport> {
  const { programs, rounds, onRound, drainDeadlineMs = DRAIN_DEADLINE_MS } = options;
  const wantsDisk = rounds.some(({ kind }) => kind === 'disk-full');
  const installation = await Installation.start({ programs, wantsDisk });
  // A run that is ended early leaves no process and no mounted disk behind.
  const end = (): void => void installation.close().finally(() => process.exit(1));
  for (const signal of ENDING_SIGNALS) process.once(signal, end);
  try {
    const projects = await installation.makeProjects();
    const outages = new Outages();
    const load = new Load(
      { apis: installation.baseUrls, projectIds: [...projects.forwarding, projects.silent] },
      PACE,
    );
    const absences: Absence[] = [];
    const witness = new Witness(installation);
    const lab: RunningLab = { installation, outages, absences, load, witness, died: [], unhealed: [] };
    load.start();
    witness.start();
    await pause(WARM_UP_MS);
    const startedMs = performance.now();
    const reports: RoundReport[] = [];
    for (const round of rounds) {
      const report = await runRound(lab, round, startedMs);
      reports.push(report);
      onRound(report);
    }
    await pause(COOL_DOWN_MS);
    await load.stop();
    const drainSeconds = await drained(installation, drainDeadlineMs);
    await sealed(installation);
    await witness.stop();
    const { disk } = installation;
    return {
      rounds: reports,
      drainSeconds,
      disk: disk.kind === 'mounted' ? disk.what : `none: ${disk.reason}`,
      accounts: await account({ ...lab, projects }),
    };
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, end);
    await installation.close();
  }
}

interface RunningLab {
  installation: Installation;
  outages: Outages;
  absences: Absence[];
  load: Load;
  witness: Witness;
  died: string[];
  unhealed: string[];
}

async function runRound(lab: RunningLab, round: Round, startedMs: number): Promise<RoundReport> {
  const { installation, load } = lab;
  const troublesBefore = load.troubles.length;
  const acknowledgedBefore = load.acknowledged.size;
  const { disk } = installation;
  const skipped = round.kind === 'disk-full' && disk.kind === 'none' ? disk.reason : null;
  await pause(round.beforeMs);
  const faultMs = performance.now();
  let healMs = faultMs;
  if (skipped === null) {
    try {
      await FAULTS[round.kind](lab, round);
      healMs = performance.now();
      lab.died.push(...(await installation.restartDead()).map((text) => `round ${round.number}: ${text}`));
      await installation.healed();
    } catch (error) {
      lab.unhealed.push(
        `round ${round.number} (${round.kind}): ${error instanceof Error ? error.message : error}`,
      );
      await installation.restartDead();
    }
  }
  const seen = { unavailable: 0, refused: 0, broken: 0, late: 0, other: 0 };
  for (const { what } of load.troubles.slice(troublesBefore)) seen[what] += 1;
  return {
    ...round,
    atSeconds: (faultMs - startedMs) / 1000,
    faultSeconds: (healMs - faultMs) / 1000,
    healSeconds: (performance.now() - healMs) / 1000,
    skipped,
    acknowledged: load.acknowledged.size - acknowledgedBefore,
    seen,
  };
}

/**
 * Waits until the outbox is empty, up to a deadline; remaining messages are a finding. Returns the
 * seconds.
 */
async function drained(installation: Installation, deadlineMs: number): Promise<number> {
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
