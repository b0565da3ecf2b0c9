import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { readConfigurations } from '../../publishing/site-configurations.js';
import type { CookieRules } from '../domain/choice-cookie.js';
import { hashProxySecret, isValidSecret, type StoredProxySecrets } from '../domain/proxy-secret.js';
import { readProxySecrets } from '../infrastructure/domain.rows.js';

/** A change of a secret takes effect within this time. */
const KNOWN_FOR_MS = 10_000;
/** Cached projects; each takes about 300 bytes. */
const PROJECTS_MAX = 20_000;

interface KnownSite {
  secrets: StoredProxySecrets | null;
  cookie: CookieRules;
}

/**
 * Secrets and cookie rules of projects, cached for a few seconds: each request through a proxy needs them.
 */
@Injectable()
export class KnownSites {
  /** While the database is unavailable, cached entries stay valid. */
  private readonly known = new LRUCache<string, KnownSite>({
    max: PROJECTS_MAX,
    ttl: KNOWN_FOR_MS,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: (projectId) => this.readSite(projectId),
  });

  constructor(private readonly em: EntityManager) {}

  /** Whether this is a secret of the project. Malformed text costs no query. */
  async isValid(projectId: string, secret: unknown, now: Date): Promise<boolean> {
    const hash = hashProxySecret(secret);
    if (!hash) return false;
    const found = await this.known.fetch(projectId);
    return !!found?.secrets && isValidSecret(found.secrets, hash, now);
  }

  /** The configuration's rules for the choice cookie. */
  async cookieRules(projectId: string): Promise<CookieRules | null> {
    return (await this.known.fetch(projectId))?.cookie ?? null;
  }

  private async readSite(projectId: string): Promise<KnownSite> {
    const em = this.em.fork();
    const secrets = await readProxySecrets(em, projectId);
    const { banner, reconsentMonths, policyVersion } = (await readConfigurations(em, projectId)).published;
    return { secrets, cookie: { shared: banner.shareSubdomains, reconsentMonths, policyVersion } };
  }
}
