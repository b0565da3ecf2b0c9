import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../shared/client-network.js';
import { tooManyRequests } from '../../shared/domain-error.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ConsentSettings, consentSettings, VISITORS_OF_A_PROXY } from '../consent.settings.js';

const WINDOW_MS = 60_000;
/** Each key takes about 200 bytes. */
const KEYS_MAX = 50_000;

/** Limits requests with visitor keys in this process, by network (setting VISITOR_RATE_PER_MINUTE). */
@Injectable()
export class VisitorRateLimiter {
  private readonly byNetwork: RateLimiter | null;
  private readonly byProxy: RateLimiter | null;

  constructor(@InjectSettings(consentSettings) { visitorRatePerMinute: points }: ConsentSettings) {
    this.byNetwork = limiterPerMinute(points);
    this.byProxy = limiterPerMinute(points * VISITORS_OF_A_PROXY);
  }

  /** @throws DomainError `too_many_requests` (429) with the seconds to wait. */
  consume(address: string): void {
    const waitMs = this.byNetwork?.consume(clientNetwork(address), performance.now());
    if (waitMs) throw tooManyRequests('Too many requests from one address. Try again later.', waitMs);
  }

  /** For a customer's proxy without a valid secret, whose visitors share its address. @throws as above. */
  consumeProxy(projectId: string): void {
    const waitMs = this.byProxy?.consume(projectId, performance.now());
    if (waitMs) throw tooManyRequests('Too many requests through one proxy. Try again later.', waitMs);
  }
}

function limiterPerMinute(points: number): RateLimiter | null {
  return points === 0 ? null : new RateLimiter({ points, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
}
