import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../shared/client-network.js';
import { tooManyRequests } from '../../shared/domain-error.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from '../consent.settings.js';
import { RateWindow } from '../domain/rate-window.js';

const WINDOW_MS = 60_000;
/** Number of counters; each takes about 200 bytes. */
const KEYS_MAX = 50_000;

/**
 * Counts requests with visitor keys in this process, by network (setting VISITOR_RATE_PER_MINUTE).
 */
@Injectable()
export class VisitorLimit {
  private readonly byNetwork: RateWindow | null;

  constructor(@InjectSettings(consentSettings) { visitorRatePerMinute: countMax }: ConsentSettings) {
    this.byNetwork =
      countMax === 0 ? null : new RateWindow({ countMax, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
  }

  /** @throws DomainError `too_many_requests` (429) with the seconds to wait. */
  count(address: string): void {
    const waitMs = this.byNetwork?.add(clientNetwork(address), performance.now());
    if (waitMs) throw tooManyRequests('Too many requests from one address. Try again later.', waitMs);
  }
}
