import type { Client } from 'pg';
import type { Absence } from './absences.js';
import type { Witness } from './evidence-log.js';
import type { Load, Trouble } from './load.js';
import type { Outages } from './outages.js';
import type { Round } from './plan.js';
import type { ReceiverHandle } from './receiver-handle.js';

/** Projects that forward all they get; one of them retries failures; one project forwards nothing. */
export interface LabProjects {
  forwarding: string[];
  retrying: string;
  silent: string;
}

/** The parts of an installation that the runner and the rules use. */
export interface LabInstallation {
  readonly receiver: Pick<ReceiverHandle, 'counts'>;
  readonly evidenceKey: Buffer;
  /** Where callers send, in turn. */
  readonly baseUrls: readonly [string, string];
  /** For the report: what PostgreSQL's data lies on. */
  readonly diskText: string;
  /** A connection of the lab's own, as the server's superuser. */
  withDatabase<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** An object of the evidence logs as it lies in the storage. */
  readEvidence(path: string): Promise<Buffer>;
  makeProjects(): Promise<LabProjects>;
  /** Processes that ended unexpectedly, with their last output; they are restarted. */
  restartDead(): Promise<string[]>;
  /** The last output of every process of the service, for the report. */
  outputs(): string[];
  /** Waits until every process says that it can do its work, with all that it does it with. */
  healed(): Promise<void>;
  /** Stops everything, in any state. */
  close(): Promise<void>;
}

/** The state of a run. */
export interface RunningLab<Installation extends LabInstallation = LabInstallation> {
  installation: Installation;
  outages: Outages;
  absences: Absence[];
  load: Load;
  witness: Witness;
  died: string[];
  unhealed: string[];
  missing: string[];
}

/** One of the two labs: kills on one machine, or faults of a network. */
export interface LabSetup<OneRound extends Round<string>, Installation extends LabInstallation> {
  pace: { callers: number; perSecond: number };
  start(): Promise<Installation>;
  /** Why a round is impossible here; null: it is possible. */
  skipped(installation: Installation, round: OneRound): string | null;
  /** Makes the round's fault happen and undoes it. */
  cause(lab: RunningLab<Installation>, round: OneRound): Promise<void>;
  /** Whether a caller may have seen this. */
  isAllowed(trouble: Trouble, outages: Outages): boolean;
}
