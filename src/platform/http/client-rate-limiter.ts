import { clientNetwork, clientSite, NETWORKS_PER_SITE } from '../network/client-network.js';
import { tooManyRequests } from '../errors/domain-error.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import type { Client } from './client-address.js';

const WINDOW_MS = 60_000;
/** Keys of each limiter; each takes about 200 bytes. */
const KEYS_MAX = 50_000;

/** Requests per minute in this process; 0 turns a limit off. */
export interface ClientRates {
  /** For a network and project. */
  perProject: number;
  /** For a network over all projects. */
  perNetwork: number;
  /**
   * For a project through a customer's proxy without a valid secret, whose address represents all
   * visitors.
   */
  perProxy: number;
  /** Points consumed by a request to an unknown project, which indicates guessing of ids. */
  unknownProjectPoints: number;
  refusal: string;
}

/**
 * Limits requests of visitors. An address named by a customer's proxy counts only together with
 * that project: its secret must not use up the address's limit for others.
 */
export class ClientRateLimiter {
  private readonly byProject: RateLimiter | null;
  private readonly byNetwork: RateLimiter | null;
  private readonly bySite: RateLimiter | null;
  private readonly byProxy: RateLimiter | null;
  /** Separate, so that forged addresses evict no real ones. */
  private readonly byNamedAddress: RateLimiter | null;

  constructor(private readonly rates: ClientRates) {
    const { perProject, perNetwork, perProxy } = rates;
    this.byProject = limiterPerMinute(perProject);
    this.byNetwork = limiterPerMinute(perNetwork);
    this.bySite = limiterPerMinute(perNetwork * NETWORKS_PER_SITE);
    this.byProxy = limiterPerMinute(perProxy);
    this.byNamedAddress = limiterPerMinute(perProject || perNetwork);
  }

  /**
   * `projectId` is in its canonical form.
   * @throws DomainError `too_many_requests` (429) with the seconds to wait.
   */
  consume({ address, origin }: Client, projectId: string): void {
    const nowMs = performance.now();
    if (origin === 'unproven_proxy') return this.refuseAfter(this.byProxy?.consume(projectId, nowMs));
    const network = clientNetwork(address);
    const key = `${network} ${projectId}`;
    if (origin === 'named_by_proxy') return this.refuseAfter(this.byNamedAddress?.consume(key, nowMs));
    // The network first: a refused request must not create a key for a project.
    const site = clientSite(network);
    if (site) this.refuseAfter(this.bySite?.consume(site, nowMs));
    this.refuseAfter(this.byNetwork?.consume(network, nowMs));
    this.refuseAfter(this.byProject?.consume(key, nowMs));
  }

  /** The project of an accepted request does not exist. Only the database could show that. */
  consumeUnknownProject({ address, origin }: Client): void {
    if (origin !== 'connection') return;
    const points = this.rates.unknownProjectPoints - 1;
    const network = clientNetwork(address);
    const nowMs = performance.now();
    this.byNetwork?.consume(network, nowMs, points);
    const site = clientSite(network);
    if (site) this.bySite?.consume(site, nowMs, points);
  }

  private refuseAfter(waitMs: number | undefined): void {
    if (waitMs) throw tooManyRequests(this.rates.refusal, waitMs);
  }
}

function limiterPerMinute(points: number): RateLimiter | null {
  return points === 0 ? null : new RateLimiter({ points, windowMs: WINDOW_MS, keysMax: KEYS_MAX });
}
