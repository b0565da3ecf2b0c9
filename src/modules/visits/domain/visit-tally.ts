import { OTHER_NAME } from '../../consent/domain/consent-counts.js';
import { DIMENSIONS, HOUR_MS, type Dimension, type Visit } from './visit.js';

/** Hosts counted separately for one project in one hour: anyone can make up names below its domains. */
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
class ProjectTally {
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
    if (row.dimension === 'hostname' && row.name !== OTHER_NAME)
      this.hostnames.set(row.at.getTime(), this.namedHosts(row.at) + 1);
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

  /** Merges the counts of all names into `OTHER_NAME`: an entry for each hour and dimension remains. */
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

/** Counts in memory, over all projects: about 30 MB. */
const TALLY_ENTRIES_MAX = 100_000;

/**
 * Counts page views until they are written to the database. All projects share the capacity. When
 * it is full, the project with the most counts loses detail: its names are merged into
 * `OTHER_NAME`, with all its visits still counted. So a project with few counts always finds
 * capacity.
 */
export class VisitTally {
  private readonly projects = new Map<string, ProjectTally>();
  private held = 0;
  /** No project can be merged further: nothing is added until the next `take`. */
  private exhausted = false;

  constructor(private readonly entriesMax = TALLY_ENTRIES_MAX) {}

  /** Counts a page view in all its dimensions; returns false, and counts none, if it is full. */
  count(projectId: string, visit: Visit, now: Date): boolean {
    const at = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
    const rows = DIMENSIONS.map((dimension) => ({
      projectId,
      at,
      dimension,
      name: visit[dimension],
      visits: 1,
      chosen: visit.banner === 'chosen' ? 1 : 0,
      ignored: visit.banner === 'ignored' ? 1 : 0,
      lastSeenAt: now,
    }));
    return this.addAll(projectId, rows);
  }

  /** Returns the counts added since the last call, in the order of writing, and resets them. */
  take(now: Date): VisitRow[] {
    const taken: VisitRow[] = [];
    this.held = 0;
    for (const [projectId, project] of this.projects) {
      taken.push(...project.take(now));
      this.held += project.size;
      if (project.size === 0) this.projects.delete(projectId);
    }
    this.exhausted = false;
    return taken.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  /** Puts back rows that could not be written. Returns the number of visits that did not fit. */
  giveBack(rows: VisitRow[]): number {
    let lost = 0;
    for (const row of rows) {
      // A visit has a row in each dimension and is counted once here.
      if (!this.addAll(row.projectId, [row]) && row.dimension === 'device') lost += row.visits;
    }
    return lost;
  }

  get size(): number {
    return this.held;
  }

  private addAll(projectId: string, rows: VisitRow[]): boolean {
    const project = this.projects.get(projectId) ?? new ProjectTally();
    while (this.held + project.missing(rows) > this.entriesMax) {
      if (!this.mergeLargest()) return false;
    }
    const before = project.size;
    for (const row of rows) project.add(row);
    this.held += project.size - before;
    this.projects.set(projectId, project);
    return true;
  }

  /** Merges the names of the project with the most counts; false if that frees nothing. */
  private mergeLargest(): boolean {
    if (this.exhausted) return false;
    let largest: ProjectTally | undefined;
    for (const project of this.projects.values()) {
      if (project.size > (largest?.size ?? 0)) largest = project;
    }
    const before = largest?.size ?? 0;
    largest?.mergeNames();
    const freed = before - (largest?.size ?? 0);
    this.held -= freed;
    this.exhausted = freed === 0;
    return freed > 0;
  }
}

/** All processes write in one order, so that they cannot deadlock. */
function orderOf({ projectId, dimension, at, name }: VisitRow): string {
  return `${projectId} ${dimension} ${at.toISOString()} ${name}`;
}
