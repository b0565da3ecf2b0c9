import { Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import { writeCertificateAsked, writeSeen } from '../infrastructure/domain.rows.js';

/** The kinds of sightings, and the minimum time between two writes of one process. */
const EVERY_MS = { seen: 3_600_000, certificate: 60_000 } as const;
const WRITE = { seen: writeSeen, certificate: writeCertificateAsked } as const;
/** Hosts whose last sighting is cached; beyond that, sightings are written more often. */
const HOSTS_MAX = 20_000;
const WRITES_MAX = 4;

/** Stores when a custom domain served a request, and when the edge was allowed a certificate for it. */
@Injectable()
export class HostSightings {
  private readonly logger = new Logger(HostSightings.name);
  private readonly recent = new LRUCache<string, true>({ max: HOSTS_MAX });
  private writes = 0;

  constructor(private readonly em: EntityManager) {}

  /** Never rejects and never waits: a lost sighting is replaced by a later one. */
  note(kind: keyof typeof EVERY_MS, { id, state }: { id: string; state: string }): void {
    // The key includes the state: the first request of a verified domain is stored at once, also
    // after a failure.
    const key = `${kind} ${id} ${state}`;
    if (this.recent.has(key) || this.writes >= WRITES_MAX) return;
    this.recent.set(key, true, { ttl: EVERY_MS[kind] });
    this.writes += 1;
    WRITE[kind](this.em.fork(), id, new Date())
      .catch((error: unknown) => {
        this.recent.delete(key);
        this.logger.warn({ err: error, domainId: id }, 'a sighting of a custom domain was not stored');
      })
      .finally(() => (this.writes -= 1));
  }
}
