import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../shared/client-network.js';
import { tooManyRequests } from '../../shared/domain-error.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from '../consent.settings.js';

const WINDOW_MS = 60_000;
/** Each key takes about 200 bytes. */
const KEYS_MAX = 50_000;

/** Limits requests with visitor keys in this process, by network (setting VISITOR_RATE_PER_MINUTE). */
@Injectable()
export class VisitorRateLimiter {
  private readonly byNetwork: RateLimiter | null;

  constructor(@InjectSettings(consentSettings) { visitorRatePerMinute: points }: ConsentSettings) {
    this.byNetwork =
      points === 0 ? null : new RateLimiter({ points, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
  }

  /** @throws DomainError `too_many_requests` (429) with the seconds to wait. */
  consume(address: string): void {
    const waitMs = this.byNetwork?.consume(clientNetwork(address), performance.now());
    if (waitMs) throw tooManyRequests('Too many requests from one address. Try again later.', waitMs);
  }
}
