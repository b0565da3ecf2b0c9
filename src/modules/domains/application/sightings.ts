import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { writeEvents } from '../../events/event.log.js';
import { SIGHTING_EVERY_MS } from '../domain/proxy-secret.js';
import { writeCertificateAsked, writeSeen, writeSighting } from '../infrastructure/domain.rows.js';

/** Hosts or projects whose last sighting is cached; beyond that, sightings are written more often. */
const RECENT_MAX = 20_000;
const WRITES_MAX = 4;

/** Writes each sighting once in a while, without delaying the request. */
class SightingWrites {
  private readonly recent = new LRUCache<string, true>({ max: RECENT_MAX });
  private writes = 0;

  /** Never rejects and never waits: a lost sighting is replaced by a later one. */
  start(
    { key, everyMs }: { key: string; everyMs: number },
    write: () => Promise<void>,
    onFailure: (error: unknown) => void,
  ): void {
    if (this.recent.has(key) || this.writes >= WRITES_MAX) return;
    this.recent.set(key, true, { ttl: everyMs });
    this.writes += 1;
    write()
      .catch((error: unknown) => {
        this.recent.delete(key);
        onFailure(error);
      })
      .finally(() => (this.writes -= 1));
  }
}

/** The kinds of sightings, and the minimum time between two writes of one process. */
const EVERY_MS = { seen: 3_600_000, certificate: 60_000 } as const;

/** Stores when a custom domain served a request, and when the edge was allowed a certificate for it. */
@Injectable()
export class HostSightings {
  private readonly logger = new Logger(HostSightings.name);
  private readonly writes = new SightingWrites();

  constructor(private readonly em: EntityManager) {}

  note(kind: keyof typeof EVERY_MS, { id, state }: { id: string; state: string }): void {
    // The key includes the state: the first request of a verified domain is stored at once, also
    // after a failure.
    this.writes.start(
      { key: `${kind} ${id} ${state}`, everyMs: EVERY_MS[kind] },
      () => (kind === 'seen' ? this.writeSeen(id) : writeCertificateAsked(this.em.fork(), id, new Date())),
      (err) => this.logger.warn({ err, domainId: id }, 'a sighting of a custom domain was not stored'),
    );
  }

  private async writeSeen(id: string): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const projectId = await writeSeen(tx, id, new Date());
      if (projectId !== null)
        await writeEvents(tx, projectId, [{ type: 'custom_domain.active', id, data: {} }]);
    });
  }
}

/** Stores when a project's proxy was seen, at most once a minute per process. */
@Injectable()
export class ProxySightings {
  private readonly logger = new Logger(ProxySightings.name);
  private readonly writes = new SightingWrites();

  constructor(private readonly em: EntityManager) {}

  note(projectId: string, sighting: { isProven: boolean; host: string | null; prefix: string }): void {
    this.writes.start(
      { key: `${projectId} ${sighting.isProven}`, everyMs: SIGHTING_EVERY_MS },
      () => writeSighting(this.em.fork(), projectId, { ...sighting, at: new Date() }),
      (err) => this.logger.warn({ err, projectId }, 'a sighting was not stored'),
    );
  }
}
