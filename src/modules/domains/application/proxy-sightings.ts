import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SIGHTING_EVERY_MS } from '../domain/proxy-state.js';
import { writeSighting } from '../infrastructure/proxy.rows.js';

/** Projects whose last sighting is cached; beyond that, sightings are written more often. */
const PROJECTS_MAX = 20_000;
const WRITES_MAX = 4;

/**
 * Stores when a project's proxy was seen, at most once a minute per process, without delaying the
 * request.
 */
@Injectable()
export class ProxySightings {
  private readonly logger = new Logger(ProxySightings.name);
  private readonly recent = new LRUCache<string, true>({ max: PROJECTS_MAX, ttl: SIGHTING_EVERY_MS });
  private writes = 0;

  constructor(private readonly em: EntityManager) {}

  /** Never rejects and never waits: a lost sighting is replaced by the next request's. */
  note(projectId: string, sighting: { isProven: boolean; host: string | null; prefix: string }): void {
    const key = `${projectId} ${sighting.isProven}`;
    if (this.recent.has(key) || this.writes >= WRITES_MAX) return;
    this.recent.set(key, true);
    this.writes += 1;
    writeSighting(this.em.fork(), projectId, { ...sighting, at: new Date() })
      .catch((error: unknown) => {
        this.recent.delete(key);
        this.logger.warn({ err: error, projectId }, 'a sighting was not stored');
      })
      .finally(() => (this.writes -= 1));
  }
}
