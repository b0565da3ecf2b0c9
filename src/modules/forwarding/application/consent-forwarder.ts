import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PreparedReads } from '../../../platform/database/prepared-reads.js';
import { idAt } from '../../../platform/identity/ids.js';
import {
  BUG_SCHEDULE,
  projectOf,
  type Attempt,
  type AttemptResult,
  type OutboxMessage,
  type Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import type { OutboxHandler, SingleStatementSettlement } from '../../../platform/outbox/outbox.handler.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import { ConsentRecords } from '../../consent/consent.records.js';
import {
  CONSENT_RECORDED,
  consentKey,
  type ConsentRecorded,
  type ConsentRef,
} from '../../consent/domain/consent-recorded.js';
import { EvidenceService } from '../../evidence/evidence.service.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import type { ResolvedTier } from '../../licensing/domain/tier.js';
import { LicensingService, type TierLookup } from '../../licensing/licensing.service.js';
import { chooseDestination } from '../domain/destination.js';
import { erasedOf, RECORD_ERASED } from '../domain/outbound-request.js';
import { type ClassifiedOutcome, skipHealthSignal } from '../domain/delivery-outcome.js';
import type { HealthSignal } from '../../../platform/delivery/domain/health-signal.js';
import { FAILURES_IN_A_ROW, type HoldPhase } from '../../../platform/delivery/domain/hold.js';
import { isHealthy } from '../../../platform/delivery/domain/outcome.js';
import type { SkipReason } from '../domain/delivery-outcome.js';
import { isRetryOver, retryOf, type RetryState } from '../domain/retry.js';
import { type DeliverySettings, deliverySettings } from '../../../platform/delivery/delivery.settings.js';
import { type ForwardingSettings, forwardingSettings } from '../forwarding.settings.js';
import { forwardingPredicate, loadTargets, type StoredTarget } from '../infrastructure/settings.rows.js';
import { ForwardingMetrics } from '../infrastructure/forwarding.metrics.js';
import { readQueuedRetries } from '../infrastructure/retry.rows.js';
import { SINGLE_STATEMENT_SETTLEMENT } from '../infrastructure/single-statement-settlement.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { logLateDeliveries, settleDeliveries, settleRetries } from './settle-deliveries.js';
import { SettleHolds } from './settle-holds.js';

/** Projects with failing receivers kept in memory. */
const PROJECTS_MAX = 10_000;
/** After this time the outcomes are settled, and the claim throttle takes over. */
const OPEN_MS = 1_000;

interface Circuit {
  /** Consecutive attempts of this process that the receiver failed. */
  failures: number;
  openUntilMs: number;
}

/**
 * In-process circuit breaker for the receivers of projects. The circuit of a project in the
 * database (`domain/hold.ts`) stops the claiming of messages, but only once outcomes are committed.
 * Until then this one stops messages that are already claimed: a receiver that refuses connections
 * would otherwise cost hundreds of records. Times are of a monotonic clock.
 */
@Injectable()
export class ReceiverCircuitBreaker {
  private readonly circuits = new LRUCache<string, Circuit>({ max: PROJECTS_MAX });
  private readonly holds: boolean;

  constructor(@InjectSettings(forwardingSettings) settings: ForwardingSettings) {
    this.holds = settings.holdHours > 0;
  }

  /** Milliseconds until an attempt that is not a probe may be made; 0: now. */
  waitMs(projectId: string, nowMs: number): number {
    const openUntilMs = this.circuits.get(projectId)?.openUntilMs ?? 0;
    return Math.max(0, Math.ceil(openUntilMs - nowMs));
  }

  /** Records the end of an attempt, before it is settled. */
  record(projectId: string, health: HealthSignal, nowMs: number): void {
    if (health.kind === 'up') this.circuits.delete(projectId);
    if (health.kind !== 'down' || !this.holds) return;
    const { failures, openUntilMs } = this.circuits.get(projectId) ?? { failures: 0, openUntilMs: 0 };
    if (failures + 1 >= FAILURES_IN_A_ROW) this.open(projectId, nowMs);
    else this.circuits.set(projectId, { failures: failures + 1, openUntilMs });
  }

  open(projectId: string, nowMs: number): void {
    this.circuits.set(projectId, { failures: 0, openUntilMs: nowMs + OPEN_MS });
  }
}

/** The rows that one batch needs, read together. */
interface BatchFacts {
  targets: Map<string, StoredTarget>;
  tierOf: TierLookup;
  records: Map<string, ConsentRecorded>;
  /** Retries that were not canceled, with the phase of their project's circuit breaker. */
  retries: Map<string, HoldPhase | null>;
}

/** Forwards saved consent records to the project's endpoint: the outbox handler of `consent.recorded`. */
@Injectable()
export class ConsentForwarder implements OutboxHandler<ClassifiedOutcome>, OnModuleInit {
  readonly topics = [CONSENT_RECORDED, RECORD_ERASED];
  readonly retry = BUG_SCHEDULE;
  readonly attemptMaxMs: number;
  readonly throttled = true;
  readonly singleStatement: SingleStatementSettlement<ClassifiedOutcome> = {
    ...SINGLE_STATEMENT_SETTLEMENT,
    written: (settled) => this.metrics.count(settled),
  };

  constructor(
    private readonly reads: PreparedReads,
    private readonly outbox: OutboxService,
    private readonly hooks: ConsentHooks,
    private readonly records: ConsentRecords,
    private readonly licensing: LicensingService,
    private readonly evidence: EvidenceService,
    private readonly delivery: AttemptDelivery,
    private readonly holds: SettleHolds,
    private readonly circuit: ReceiverCircuitBreaker,
    private readonly metrics: ForwardingMetrics,
    @InjectSettings(forwardingSettings) private readonly settings: ForwardingSettings,
    @InjectSettings(deliverySettings) { timeoutMs }: DeliverySettings,
  ) {
    this.attemptMaxMs = timeoutMs;
  }

  onModuleInit(): void {
    this.outbox.register(this);
    this.hooks.set({ forwardingPredicate: forwardingPredicate(this.settings.legacyCustomEndpoint) });
  }

  /**
   * Uses the current settings and tiers, which may be newer than those at the time of the record.
   * Four queries for any number of messages, one more with retries. A record from a preview
   * hostname has the tier `lite` (spec §3.2 row 1).
   */
  async prepare(messages: OutboxMessage[]): Promise<Attempt<ClassifiedOutcome>[]> {
    const projectIds = [...new Set(messages.map(projectOf))];
    const [targets, tierOf, records, retries] = await Promise.all([
      loadTargets(this.reads, projectIds),
      this.licensing.tiersOf(projectIds, new Date()),
      this.records.load(
        messages.map((message) => ({ projectId: projectOf(message), consentId: message.subjectId })),
      ),
      this.readRetries(messages.filter((message) => retryOf(message) !== null)),
      this.evidence.readCheckpoints(projectIds),
    ]);
    return messages.map((message) => this.attemptOf(message, { targets, tierOf, records, retries }));
  }

  private async readRetries(messages: OutboxMessage[]): Promise<BatchFacts['retries']> {
    if (messages.length === 0) return new Map();
    const refs = messages.map((message) => ({ projectId: projectOf(message), consentId: message.subjectId }));
    const rows = await readQueuedRetries(this.reads, refs);
    return new Map(rows.map((row) => [consentKey(row), row.phase]));
  }

  private attemptOf(message: OutboxMessage, facts: BatchFacts): Attempt<ClassifiedOutcome> {
    const { subjectId } = message;
    const projectId = projectOf(message);
    const isErasure = message.topic === RECORD_ERASED;
    const record = isErasure
      ? erasedOf(message)
      : facts.records.get(consentKey({ projectId, consentId: subjectId }));
    const { hostname = null, customEndpoint = null } = record && 'hostname' in record ? record : {};
    const tier = record && facts.tierOf(projectId, hostname);
    // The project may be deleted as well as the record.
    const retry = retryOf(message);
    if (!record || !tier) return async () => skip('record_gone', retry);
    const target = facts.targets.get(projectId) ?? null;
    const destination = chooseDestination({
      target,
      customEndpoint,
      tierRefusal: tierRefusalOf(tier),
      legacyAllowed: this.settings.legacyCustomEndpoint,
    });
    if (destination.kind === 'skip') return async () => skip(destination.reason, retry);
    const notAttempted = retry && this.judgeRetryNow(message, retry, { target, retries: facts.retries });
    if (notAttempted) return async () => notAttempt(notAttempted);
    return async (signal) => {
      const waitMs = message.probeNumber === null ? this.circuit.waitMs(projectId, performance.now()) : 0;
      if (waitMs > 0) return { kind: 'snooze', afterMs: waitMs };
      const sealed = 'salt' in record ? this.evidence.bodyWithEvidence(record) : null;
      const end = await this.delivery.attempt({ record, sealed, destination, target }, signal);
      switch (end.kind) {
        case 'ended':
          this.circuit.record(projectId, end.outcome.health, performance.now());
          return { kind: 'settled', outcome: end.outcome, healthy: isHealthy(end.outcome) };
        case 'snooze':
          return { kind: 'snooze', afterMs: end.afterMs };
        case 'aborted':
          return { kind: 'retry', afterMs: 0, error: 'The attempt was interrupted by a worker shutdown.' };
      }
    };
  }

  /** Why a retry is not attempted now; null: it is attempted. */
  private judgeRetryNow(
    message: OutboxMessage,
    retry: RetryState,
    { target, retries }: Pick<BatchFacts, 'retries'> & { target: StoredTarget | null },
  ): NonNullable<ClassifiedOutcome['notAttempted']> | null {
    const key = consentKey({ projectId: projectOf(message), consentId: message.subjectId });
    const phase = retries.get(key);
    if (phase === undefined || !target?.retryFailures.enabled || target.endpointUrl === null) return 'ended';
    if (isRetryOver(retry, target.retryFailures, new Date())) return 'ended';
    // A hold began after it was queued. Throttles do not cover the ordering key of retries.
    const isHeld = phase !== null && phase !== 'closed' && message.probeNumber === null;
    return isHeld ? 'postponed' : null;
  }

  async settle(tx: EntityManager, settled: Settled<ClassifiedOutcome>[]): Promise<void> {
    const attempted = settled.filter(({ outcome }) => outcome.notAttempted === undefined);
    const { held, superseded } = await settleDeliveries(tx, attempted);
    const retried = await settleRetries(tx, settled, superseded);
    const others = settled.filter((one) => !attempted.includes(one));
    const known = new Set([...held, ...others.map(({ message }) => projectOf(message))]);
    const opened = await this.holds.settle(tx, settled, { known, retried });
    for (const projectId of opened) this.circuit.open(projectId, performance.now());
    this.metrics.count(attempted);
    this.metrics.countRetries(retried.size);
  }

  async settleLate(tx: EntityManager, settled: Settled<ClassifiedOutcome>[]): Promise<void> {
    const attempted = settled.filter(({ outcome }) => outcome.outcome !== 'skipped');
    const kept = await this.records.lockExisting(tx, attempted.map(refOf));
    const ofRecords = attempted.filter((one) => kept.has(consentKey(refOf(one))));
    if (ofRecords.length > 0) this.metrics.count(await logLateDeliveries(tx, ofRecords));
  }

  discard(): Extract<AttemptResult<ClassifiedOutcome>, { kind: 'settled' }> {
    const attemptedAt = new Date();
    const outcome: ClassifiedOutcome = {
      id: idAt(attemptedAt),
      outcome: 'failed',
      category: 'worker_lost',
      httpStatus: null,
      reason:
        'The service was interrupted several times while sending. The record may or may not have arrived.',
      durationMs: 0,
      attemptedAt,
      host: null,
      health: { kind: 'untried' },
    };
    return { kind: 'settled', outcome, healthy: true };
  }
}

function refOf({ message }: Settled<unknown>): ConsentRef {
  return { projectId: projectOf(message), consentId: message.subjectId };
}

function tierRefusalOf({ tier, reason }: ResolvedTier): SkipReason | null {
  if (FORWARDING_TIERS.includes(tier)) return null;
  return reason === 'preview_hostname' ? 'preview_hostname' : 'tier';
}

/** Skips a record. If that was a retry, the record keeps its latest outcome instead. */
function skip(reason: SkipReason, retry: RetryState | null): AttemptResult<ClassifiedOutcome> {
  const attemptedAt = new Date();
  const nothingSent = { category: null, httpStatus: null, durationMs: 0, host: null };
  return {
    kind: 'settled',
    outcome: {
      id: idAt(attemptedAt),
      outcome: 'skipped',
      reason,
      attemptedAt,
      ...nothingSent,
      health: skipHealthSignal(reason),
      ...(retry && { notAttempted: 'ended' as const }),
    },
    healthy: true,
  };
}

/** Ends or postpones a retry without an attempt. */
function notAttempt(
  notAttempted: NonNullable<ClassifiedOutcome['notAttempted']>,
): AttemptResult<ClassifiedOutcome> {
  const attemptedAt = new Date();
  const outcome: ClassifiedOutcome = {
    id: idAt(attemptedAt),
    outcome: 'skipped',
    reason: null,
    attemptedAt,
    category: null,
    httpStatus: null,
    durationMs: 0,
    host: null,
    health: { kind: 'untried' },
    notAttempted,
  };
  return { kind: 'settled', outcome, healthy: true };
}
