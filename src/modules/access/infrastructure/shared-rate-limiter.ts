import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { tooManyRequests } from '../../../platform/errors/domain-error.js';
import { clientSite, NETWORKS_PER_SITE } from '../../../platform/network/client-network.js';

export interface SharedLimit {
  pool: Pool;
  secret: string;
  name: string;
  points: number;
  windowSeconds: number;
  /** The error's sentence. */
  refusal: string;
}

/**
 * Limits a rate by key for all API processes together, in the database. Keys are hashed with `secret`, so that the table
 * contains neither addresses nor emails.
 */
export class SharedRateLimiter {
  private readonly limiter: RateLimiterPostgres;

  constructor(private readonly options: SharedLimit) {
    this.limiter = new RateLimiterPostgres({
      storeClient: options.pool,
      storeType: 'pool',
      tableName: 'sign_in_attempt',
      tableCreated: true,
      keyPrefix: options.name,
      points: options.points,
      duration: options.windowSeconds,
      // A client above the limit is refused from memory, so a flood of attempts doesn't reach the database.
      inMemoryBlockOnConsumed: options.points + 1,
    });
  }

  /**
   * Call this before the attempt, so that concurrent attempts cannot exceed the limit.
   * @throws DomainError `too_many_requests` with the seconds until the window ends.
   */
  async consume(subject: string): Promise<void> {
    try {
      await this.limiter.consume(this.keyOf(subject));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw tooManyRequests(this.options.refusal, error.msBeforeNext);
    }
  }

  /** Undoes `consume`, for limits that only count failures. */
  async refund(subject: string): Promise<void> {
    await this.limiter.reward(this.keyOf(subject));
  }

  private keyOf(subject: string): string {
    return createHmac('sha256', this.options.secret).update(subject).digest('base64url');
  }
}

/** Limits a rate by client network, and the sum of an IPv6 site's networks, which may all belong to one client. */
export class NetworkRateLimiter {
  private readonly byNetwork: SharedRateLimiter;
  private readonly bySite: SharedRateLimiter;

  constructor(limit: SharedLimit) {
    this.byNetwork = new SharedRateLimiter(limit);
    this.bySite = new SharedRateLimiter({
      ...limit,
      name: `${limit.name}_site`,
      points: limit.points * NETWORKS_PER_SITE,
    });
  }

  /** @throws DomainError `too_many_requests` with the seconds until the window ends. */
  async consume(network: string): Promise<void> {
    const site = clientSite(network);
    if (site) await this.bySite.consume(site);
    await this.byNetwork.consume(network);
  }
}
