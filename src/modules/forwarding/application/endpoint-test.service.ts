import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { PreparedReads } from '../../../platform/database/prepared-reads.js';
import type { ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { DomainError, tooManyRequests } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { RateLimiter } from '../../../platform/limits/rate-limiter.js';
import type { DeliveryOutcome } from '../domain/delivery-outcome.js';
import { loadTargets, reserveDailyUsage } from '../infrastructure/settings.rows.js';
import { HoldService } from './hold.service.js';
import { AttemptDelivery } from './attempt-delivery.js';

/** Tests per project and minute, counted in this process: the route sends requests to third parties. */
export const ENDPOINT_TESTS_PER_MINUTE = 10;
/** Tests per project and day (UTC), counted in the database. */
export const ENDPOINT_TESTS_PER_DAY = 200;
const MINUTE_MS = 60_000;
/** Projects with a counter in memory. */
const PROJECTS_MAX = 10_000;
const HOST_LIMITED =
  "Attempts on the endpoint's host or address have failed for some time. Test again later.";

export interface EndpointTestResult extends Pick<
  DeliveryOutcome,
  'httpStatus' | 'category' | 'reason' | 'durationMs'
> {
  delivered: boolean;
  consentId: string;
}

/** Sends a synthetic consent record to the configured endpoint (spec §4.2). */
@Injectable()
export class EndpointTestService {
  private readonly limiter = new RateLimiter({
    points: ENDPOINT_TESTS_PER_MINUTE,
    windowMs: MINUTE_MS,
    keysMax: PROJECTS_MAX,
  });

  constructor(
    private readonly em: EntityManager,
    private readonly reads: PreparedReads,
    private readonly delivery: AttemptDelivery,
    private readonly holds: HoldService,
  ) {}

  /**
   * Sends now, even while forwarding is off, with the request shape of a delivery. Writes no
   * delivery row and no last failure. A success releases the oldest record of a held project.
   *
   * @throws DomainError `endpoint_not_configured` (409), `too_many_requests` (429).
   */
  async run(projectId: string): Promise<EndpointTestResult> {
    const target = (await loadTargets(this.reads, [projectId])).get(projectId) ?? null;
    if (target === null || target.endpointUrl === null)
      throw new DomainError('endpoint_not_configured', 'Save an endpoint URL first, then test it.');
    const waitMs = this.limiter.consume(projectId, performance.now());
    if (waitMs > 0) throw tooManyRequests('Too many endpoint tests. Wait a moment.', waitMs);
    const usage = { action: 'tested', count: 1, perDay: ENDPOINT_TESTS_PER_DAY } as const;
    await this.em.fork().transactional((tx) => reserveDailyUsage(tx, projectId, usage));
    const record = syntheticRecord(projectId, new Date());
    const destination = { kind: 'project', url: target.endpointUrl } as const;
    const end = await this.delivery.attempt({ record, sealed: null, destination, target });
    if (end.kind === 'aborted')
      throw new DomainError('temporarily_unavailable', 'The service is shutting down. Test again shortly.');
    if (end.kind === 'snooze') throw tooManyRequests(HOST_LIMITED, end.afterMs);
    const { httpStatus, category, reason, durationMs } = end.outcome;
    const delivered = end.outcome.outcome === 'delivered';
    if (delivered) await this.holds.endpointAnswered(projectId);
    return { delivered, httpStatus, category, reason, durationMs, consentId: record.id };
  }
}

/** A synthetic record; receivers recognize it by `test` and `action`. */
function syntheticRecord(projectId: string, now: Date): ConsentRecorded {
  return {
    id: newId(),
    projectId,
    analytics: false,
    marketing: false,
    preferences: false,
    action: 'test',
    hostname: null,
    customEndpoint: null,
    configHash: null,
    language: null,
    surface: null,
    services: null,
    extra: { test: true },
    receivedAt: now,
    skippedReason: null,
    salt: null,
    importId: null,
    originalId: null,
  };
}
