import { Injectable } from '@nestjs/common';
import { clientNetwork } from '../../shared/client-network.js';
import { tooManyRequests } from '../../shared/domain-error.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from '../consent.settings.js';
import { RateWindow } from '../domain/rate-window.js';

const WINDOW_MS = 60_000;
/** Number of counters of each kind; each takes about 200 bytes. */
const KEYS_MAX = 50_000;
/**
 * A client that sends to unknown projects is guessing ids, so each such request counts as this
 * many.
 */
const UNKNOWN_PROJECT_COST = 10;

/**
 * Counts requests in this process, by network and project (setting INGEST_RATE_PER_MINUTE) and by network over all
 * projects (INGEST_NETWORK_RATE_PER_MINUTE). A network is an IPv4 address or the /64 of an IPv6 address.
 */
@Injectable()
export class IngestLimit {
  private readonly byProject: RateWindow | null;
  private readonly byNetwork: RateWindow | null;

  constructor(@InjectSettings(consentSettings) settings: ConsentSettings) {
    this.byProject = windowOf(settings.ratePerMinute);
    this.byNetwork = windowOf(settings.networkRatePerMinute);
  }

  /**
   * Counts one request; `projectId` is in its one canonical form.
   * @throws DomainError `too_many_requests` (429) with the seconds to wait.
   */
  count(address: string, projectId: string): void {
    if (!this.byNetwork && !this.byProject) return;
    const nowMs = performance.now();
    const network = clientNetwork(address);
    // The network is counted first: a refused request must not create a counter for a project.
    refuseAfter(this.byNetwork?.add(network, nowMs));
    refuseAfter(this.byProject?.add(`${network} ${projectId}`, nowMs));
  }

  /** The project of a counted request does not exist. Only the database could show that. */
  countUnknownProject(address: string): void {
    this.byNetwork?.add(clientNetwork(address), performance.now(), UNKNOWN_PROJECT_COST - 1);
  }
}

function windowOf(countMax: number): RateWindow | null {
  return countMax === 0 ? null : new RateWindow({ countMax, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
}

function refuseAfter(waitMs: number | undefined): void {
  if (!waitMs) return;
  throw tooManyRequests('Too many consents from one address. Try again later.', waitMs);
}
