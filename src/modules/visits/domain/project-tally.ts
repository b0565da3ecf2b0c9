import { OTHER_NAME } from '../../consent/domain/consent-counts.js';
import { type Dimension, HOUR_MS } from './visit.js';

/**
 * Hosts counted separately for one project in one hour: anyone can make up names below its domains.
 */
export const HOSTNAMES_PER_HOUR_MAX = 100;

/** The counts of one project, hour and name. */
export interface VisitCounts {
  visits: number;
  /** Of these: with a banner on which the visitor decided. */
  chosen: number;
  /** With a banner on which the visitor did not decide. */
  ignored: number;
}

export interface VisitRow extends VisitCounts {
  projectId: string;
  /** Start of the hour, in UTC. */
  at: Date;
  dimension: Dimension;
  name: string;
  /** The newest of these visits. */
  lastSeenAt: Date;
}

/**
 * The unwritten counts of one project. A name is kept until its hour is over, so that the limit of
 * names applies to the whole hour and not to each write.
 */
export class ProjectTally {
  private readonly entries = new Map<string, VisitRow>();
  /** Hostnames by hour, in milliseconds since 1970. */
  private readonly hostnames = new Map<number, number>();

  get size(): number {
    return this.entries.size;
  }

  /** The most entries that adding these rows would create. */
  missing(rows: readonly VisitRow[]): number {
    return rows.filter((row) => !this.entries.has(keyOf(this.named(row)))).length;
  }

  add(given: VisitRow): void {
    const row = this.named(given);
    const known = this.entries.get(keyOf(row));
    if (known) return addTo(known, row);
    if (row.dimension === 'hostname' && row.name !== OTHER_NAME) {
      this.hostnames.set(row.at.getTime(), this.namedHosts(row.at) + 1);
    }
    this.entries.set(keyOf(row), { ...row });
  }

  /** Returns the counts added since the last call and resets them; drops past hours. */
  take(now: Date): VisitRow[] {
    const taken: VisitRow[] = [];
    for (const [key, entry] of this.entries) {
      if (entry.visits > 0) taken.push({ ...entry });
      if (now.getTime() - entry.at.getTime() >= HOUR_MS) {
        this.entries.delete(key);
        this.hostnames.delete(entry.at.getTime());
      } else {
        Object.assign(entry, { visits: 0, chosen: 0, ignored: 0 });
      }
    }
    return taken;
  }

  /**
   * Merges the counts of all names into `OTHER_NAME`: an entry for each hour and dimension remains.
   */
  mergeNames(): void {
    const rows = [...this.entries.values()];
    this.entries.clear();
    for (const row of rows) this.add({ ...row, name: OTHER_NAME });
  }

  /** The row, under `OTHER_NAME` if its hour already has too many hosts. */
  private named(row: VisitRow): VisitRow {
    const isOneTooMany =
      row.dimension === 'hostname' &&
      !this.entries.has(keyOf(row)) &&
      this.namedHosts(row.at) >= HOSTNAMES_PER_HOUR_MAX;
    return isOneTooMany ? { ...row, name: OTHER_NAME } : row;
  }

  private namedHosts(at: Date): number {
    return this.hostnames.get(at.getTime()) ?? 0;
  }
}

function addTo(entry: VisitRow, { visits, chosen, ignored, lastSeenAt }: VisitRow): void {
  entry.visits += visits;
  entry.chosen += chosen;
  entry.ignored += ignored;
  if (entry.lastSeenAt < lastSeenAt) entry.lastSeenAt = lastSeenAt;
}

function keyOf({ dimension, at, name }: VisitRow): string {
  return `${dimension} ${at.getTime()} ${name}`;
}
