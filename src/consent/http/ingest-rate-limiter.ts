import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../shared/client-network.js';
import { tooManyRequests } from '../../shared/domain-error.js';
import { RateLimiter } from '../../shared/rate-limiter.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from '../consent.settings.js';

const WINDOW_MS = 60_000;
/** Keys of each limiter; each takes about 200 bytes. */
const KEYS_MAX = 50_000;
/** A client that sends to unknown projects is guessing ids, so each such request consumes this many points. */
const UNKNOWN_PROJECT_POINTS = 10;

/**
 * Limits requests in this process, by network and project (setting INGEST_RATE_PER_MINUTE) and by network over all
 * projects (INGEST_NETWORK_RATE_PER_MINUTE). A network is an IPv4 address or the /64 of an IPv6 address.
 */
@Injectable()
export class IngestRateLimiter {
  private readonly byProject: RateLimiter | null;
  private readonly byNetwork: RateLimiter | null;
  private readonly byProxy: RateLimiter | null;

  constructor(@InjectSettings(consentSettings) settings: ConsentSettings) {
    this.byProject = limiterPerMinute(settings.ratePerMinute);
    this.byNetwork = limiterPerMinute(settings.networkRatePerMinute);
    this.byProxy = limiterPerMinute(settings.proxyRatePerMinute);
  }

  /**
   * `projectId` is in its canonical form.
   * @throws DomainError `too_many_requests` (429) with the seconds to wait.
   */
  consume(address: string, projectId: string): void {
    if (!this.byNetwork && !this.byProject) return;
    const nowMs = performance.now();
    const network = clientNetwork(address);
    // The network first: a refused request must not create a key for a project.
    refuseAfter(this.byNetwork?.consume(network, nowMs));
    refuseAfter(this.byProject?.consume(`${network} ${projectId}`, nowMs));
  }

  /**
   * For a customer's proxy without a valid secret: its address stands for all visitors of the site, so the requests of
   * the project are counted together.
   * @throws DomainError as above.
   */
  consumeProxy(projectId: string): void {
    refuseAfter(this.byProxy?.consume(projectId, performance.now()));
  }

  /** The project of an accepted request does not exist. Only the database could show that. */
  consumeUnknownProject(address: string): void {
    this.byNetwork?.consume(clientNetwork(address), performance.now(), UNKNOWN_PROJECT_POINTS - 1);
  }
}

function limiterPerMinute(points: number): RateLimiter | null {
  return points === 0 ? null : new RateLimiter({ points, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
}

function refuseAfter(waitMs: number | undefined): void {
  if (!waitMs) return;
  throw tooManyRequests('Too many consents from one address. Try again later.', waitMs);
}
