import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../../shared/domain-error.js';
import { InjectSettings, type Settings } from '../../shared/settings.js';

const WINDOW_SECONDS = 60;
/** A visitor's provider hands out whole networks of this size, so they count as one address. */
const IPV6_NETWORK_PARTS = 4;

/** Counts requests of one address to one project in this process (setting INGEST_RATE_PER_MINUTE). */
@Injectable()
export class IngestLimit {
  private readonly limiter: RateLimiterMemory | null;

  constructor(@InjectSettings() settings: Settings) {
    const { ratePerMinute } = settings.ingest;
    this.limiter =
      ratePerMinute === 0 ? null : new RateLimiterMemory({ points: ratePerMinute, duration: WINDOW_SECONDS });
  }

  /** @throws DomainError `too_many_requests` (429) with the seconds to wait. */
  async count(address: string, projectId: string): Promise<void> {
    if (!this.limiter) return;
    try {
      await this.limiter.consume(`${networkOf(address)} ${projectId}`);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new DomainError('too_many_requests', 'Too many consents from one address. Try again later.', {
        retryAfterSeconds: Math.max(1, Math.ceil(refused.msBeforeNext / 1000)),
      });
    }
  }
}

function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts.slice(0, IPV6_NETWORK_PARTS).join(':')
    : parsed.toString();
}
