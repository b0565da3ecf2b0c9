import { clientSite, NETWORKS_PER_SITE } from '../../../platform/network/client-network.js';
import { type SharedLimit, SharedRateLimiter } from './shared-rate-limiter.js';

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
