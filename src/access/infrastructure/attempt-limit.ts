import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { tooManyRequests } from '../../shared/domain-error.js';

/**
 * Counts attempts in the database, for all API processes together. Keys are hashed with `secret`, so that
 * the table holds neither addresses nor e-mails.
 */
export class AttemptLimit {
  private readonly limiter: RateLimiterPostgres;

  constructor(
    private readonly options: {
      pool: Pool;
      secret: string;
      name: string;
      attemptsMax: number;
      windowSeconds: number;
      /** The sentence of the refusal. */
      refusal: string;
    },
  ) {
    this.limiter = new RateLimiterPostgres({
      storeClient: options.pool,
      storeType: 'pool',
      tableName: 'sign_in_attempt',
      tableCreated: true,
      keyPrefix: options.name,
      points: options.attemptsMax,
      duration: options.windowSeconds,
      // A client above the limit is refused from memory, so a flood of attempts doesn't reach the
      // database.
      inMemoryBlockOnConsumed: options.attemptsMax + 1,
    });
  }

  /**
   * Counts one attempt before it is made, so that attempts at the same time cannot pass together.
   * @throws DomainError `too_many_requests` with the seconds until the window ends.
   */
  async take(subject: string): Promise<void> {
    try {
      await this.limiter.consume(this.keyOf(subject));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw tooManyRequests(this.options.refusal, error.msBeforeNext);
    }
  }

  /** Takes an attempt back, where only failures are counted. */
  async giveBack(subject: string): Promise<void> {
    await this.limiter.reward(this.keyOf(subject));
  }

  private keyOf(subject: string): string {
    return createHmac('sha256', this.options.secret).update(subject).digest('base64url');
  }
}
