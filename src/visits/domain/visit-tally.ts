import { OTHER_NAME } from '../../consent/domain/consent-counts.js';
import { type BannerOutcome, type Dimension, DIMENSIONS, type Visit } from './visit.js';

/** Hosts that the counts of one project keep apart in one hour: anybody may make some up below its domains. */
export const HOSTNAMES_PER_HOUR_MAX = 100;
/** Counts held at once, over all projects: some 30 MB. Beyond it visits are not counted. */
export const TALLY_ENTRIES_MAX = 100_000;

const HOUR_MS = 60 * 60 * 1000;

/** What is counted of one project, hour and name. */
export interface VisitCounts {
  visits: number;
  /** Of those: with a banner on which the visitor decided. */
  chosen: number;
  /** With a banner on which she did not. */
  ignored: number;
}

export interface VisitRow extends VisitCounts {
  projectId: string;
  /** The begin of the hour, in UTC. */
  at: Date;
  dimension: Dimension;
  name: string;
  /** The newest of these visits. */
  lastSeenAt: Date;
}

/**
 * Adds page views up until they are taken to the database. What an hour has named stays named until it is over, so
 * that the bound on names holds for the hour and not for each time that they are taken.
 */
export class VisitTally {
  private readonly entries = new Map<string, VisitRow>();
  private readonly hostnames = new Map<string, number>();

  constructor(private readonly entriesMax = TALLY_ENTRIES_MAX) {}

  /** Counts a page view; false where there is no room for it. */
  count(projectId: string, visit: Visit, now: Date): boolean {
    if (this.entries.size > this.entriesMax - DIMENSIONS.length) return false;
    const at = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
    for (const dimension of DIMENSIONS) {
      const entry = this.entry({ projectId, at, dimension, name: visit[dimension] });
      add(entry, visit.banner);
      entry.lastSeenAt = now;
    }
    return true;
  }

  /** What was counted since the last time, in the order in which it is written: all of it is this call's now. */
  take(now: Date): VisitRow[] {
    const taken: VisitRow[] = [];
    for (const [key, entry] of this.entries) {
      if (entry.visits > 0) taken.push({ ...entry });
      if (now.getTime() - entry.at.getTime() >= HOUR_MS) this.forget(key, entry);
      else Object.assign(entry, { visits: 0, chosen: 0, ignored: 0 });
    }
    return taken.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** Puts back what could not be written. Returns how many visits found no room. */
  giveBack(rows: VisitRow[]): number {
    let lost = 0;
    for (const row of rows) {
      const known = this.entries.get(keyOf(row));
      if (known) {
        for (const count of ['visits', 'chosen', 'ignored'] as const) known[count] += row[count];
        if (known.lastSeenAt < row.lastSeenAt) known.lastSeenAt = row.lastSeenAt;
      } else if (this.entries.size < this.entriesMax) {
        this.entries.set(keyOf(row), { ...row });
      } else if (row.dimension === 'device') {
        lost += row.visits;
      }
    }
    return lost;
  }

  get size(): number {
    return this.entries.size;
  }

  private entry(wanted: Pick<VisitRow, 'projectId' | 'at' | 'dimension' | 'name'>): VisitRow {
    const known = this.entries.get(keyOf(wanted));
    if (known) return known;
    const { projectId, at, dimension, name } = wanted;
    const hour = `${projectId} ${at.getTime()}`;
    if (dimension === 'hostname' && name !== OTHER_NAME) {
      const named = this.hostnames.get(hour) ?? 0;
      if (named >= HOSTNAMES_PER_HOUR_MAX) return this.entry({ ...wanted, name: OTHER_NAME });
      this.hostnames.set(hour, named + 1);
    }
    const made = { projectId, at, dimension, name, visits: 0, chosen: 0, ignored: 0, lastSeenAt: at };
    this.entries.set(keyOf(made), made);
    return made;
  }

  private forget(key: string, { projectId, at }: VisitRow): void {
    this.entries.delete(key);
    this.hostnames.delete(`${projectId} ${at.getTime()}`);
  }
}

function add(entry: VisitRow, banner: BannerOutcome): void {
  entry.visits += 1;
  if (banner !== 'none') entry[banner] += 1;
}

/** Two processes that write the same rows do so in one order, or they would wait for each other. */
function keyOf({ projectId, dimension, at, name }: Omit<VisitRow, keyof VisitCounts | 'lastSeenAt'>): string {
  return `${projectId} ${dimension} ${at.toISOString()} ${name}`;
}
