import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hashProxySecret, isValidSecret, type StoredProxySecrets } from '../domain/proxy-secret.js';
import { readProxySecrets } from '../infrastructure/proxy.rows.js';

/** A change of a secret takes effect within this time. */
const KNOWN_FOR_MS = 10_000;
/** Projects whose secrets are remembered; each takes about 200 bytes. */
const PROJECTS_MAX = 20_000;

/** Secrets of projects, remembered for a few seconds: each request through a proxy carries one. */
@Injectable()
export class KnownSecrets {
  /** While the database is away, what was known stays. */
  private readonly known = new LRUCache<string, { secrets: StoredProxySecrets | null }>({
    max: PROJECTS_MAX,
    ttl: KNOWN_FOR_MS,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async (projectId) => ({ secrets: await readProxySecrets(this.em.fork(), projectId) }),
  });

  constructor(private readonly em: EntityManager) {}

  /** Whether the project's proxy may know this secret. Text that is no secret costs no query. */
  async isValid(projectId: string, secret: unknown, now: Date): Promise<boolean> {
    const hash = hashProxySecret(secret);
    if (!hash) return false;
    const found = await this.known.fetch(projectId);
    return !!found?.secrets && isValidSecret(found.secrets, hash, now);
  }
}
