import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../shared/client-network.js';
import { tooManyRequests } from '../../shared/domain-error.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type VisitSettings, visitSettings } from '../visits.settings.js';

const WINDOW_MS = 60_000;
/** Keys of each limiter; each takes about 200 bytes. */
const KEYS_MAX = 50_000;
/** Projects that one network may visit at the full rate. */
const PROJECTS_PER_NETWORK = 10;
/** Visitors at the full rate before the limit of an unproven proxy applies, which they share. */
const VISITORS_PER_PROXY = 10;

/** Limits page visits in this process, by network and project, and by network over all projects. */
@Injectable()
export class VisitRateLimiter {
  private readonly byProject: RateLimiter | null;
  private readonly byNetwork: RateLimiter | null;
  private readonly byProxy: RateLimiter | null;

  constructor(@InjectSettings(visitSettings) { ratePerMinute }: VisitSettings) {
    this.byProject = limiterPerMinute(ratePerMinute);
    this.byNetwork = limiterPerMinute(ratePerMinute * PROJECTS_PER_NETWORK);
    this.byProxy = limiterPerMinute(ratePerMinute * VISITORS_PER_PROXY);
  }

  /** @throws DomainError `too_many_requests` (429) with the seconds to wait. */
  consume(address: string, projectId: string): void {
    const nowMs = performance.now();
    const network = clientNetwork(address);
    const waitMs =
      this.byNetwork?.consume(network, nowMs) || this.byProject?.consume(`${network} ${projectId}`, nowMs);
    if (waitMs) throw tooManyRequests('Too many page visits from one address.', waitMs);
  }

  /** For a customer's proxy without a valid secret, whose visitors share its address. @throws as above. */
  consumeProxy(projectId: string): void {
    const waitMs = this.byProxy?.consume(projectId, performance.now());
    if (waitMs) throw tooManyRequests('Too many page visits through one proxy.', waitMs);
  }

  /** A client that sends unknown project ids is guessing, and each guess costs a query. */
  consumeUnknownProject(address: string): void {
    this.byNetwork?.consume(clientNetwork(address), performance.now(), PROJECTS_PER_NETWORK - 1);
  }
}

function limiterPerMinute(points: number): RateLimiter | null {
  return points === 0 ? null : new RateLimiter({ points, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
}
