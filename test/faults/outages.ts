/** What can be away: an outage of a worker or of PostgreSQL explains that a message is sent twice. */
export type Part = 'proxy' | 'api-0' | 'api-1' | 'worker-0' | 'worker-1' | 'postgres' | 'redis';

/** Instants are milliseconds since 1970, which all processes of the machine share with PostgreSQL. */
export interface Outage {
  part: Part;
  /** It was suspended, with its connections and any locks in the database, instead of killed. */
  stopped: boolean;
  fromMs: number;
  toMs: number;
}

/** The outages that the lab has caused. */
export class Outages {
  readonly all: Outage[] = [];

  /** Notes that the part is away while `cause` runs. */
  async during(part: Part, cause: () => Promise<void>, { stopped = false } = {}): Promise<void> {
    const outage: Outage = { part, stopped, fromMs: Date.now(), toMs: Infinity };
    this.all.push(outage);
    try {
      await cause();
    } finally {
      outage.toMs = Date.now();
    }
  }

  /** Whether the part was away at some time in between, or so shortly before that it may still have been felt. */
  met(part: Part, fromMs: number, toMs: number, afterMs = 0): boolean {
    return this.in(fromMs, toMs, afterMs).some((outage) => outage.part === part);
  }

  /** The outages at some time in this range, or shortly before. */
  in(fromMs: number, toMs: number, afterMs = 0): Outage[] {
    return this.all.filter((outage) => outage.fromMs <= toMs && outage.toMs + afterMs >= fromMs);
  }
}
