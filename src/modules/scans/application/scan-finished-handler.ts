import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import {
  type Attempt,
  type AttemptResult,
  type OutboxMessage,
  projectOf,
} from '../../outbox/domain/outbox-message.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { SCAN_FINISHED, SCAN_RECLASSIFIED } from '../scans.events.js';
import { ScanMetrics } from '../infrastructure/scan.metrics.js';
import { computeFindings } from './compute-findings.js';
import { ScanAlerts } from './scan-alerts.js';
import { ScanProofService } from './scan-proof.service.js';

/** Scans that a worker evaluates at the same time, one for each project. */
const SLOTS = 2;
const ATTEMPT_MAX_MS = 30_000;

/** What follows a scan, in the worker: the scanner has neither the keys nor the rights for it. */
@Injectable()
export class ScanFinishedHandler implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [SCAN_FINISHED, SCAN_RECLASSIFIED];
  readonly retry = BUG_SCHEDULE;
  readonly slotsMax = SLOTS;
  readonly slotsPerKeyMax = 1;
  readonly attemptMaxMs = ATTEMPT_MAX_MS;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly proofs: ScanProofService,
    private readonly alerts: ScanAlerts,
    private readonly metrics: ScanMetrics,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map((message) => () => this.attempt(message)));
  }

  async settle(): Promise<void> {}

  discard(): AttemptResult<null> {
    return { kind: 'dead', error: 'The service was interrupted on every attempt to evaluate a scan.' };
  }

  private async attempt(message: OutboxMessage): Promise<AttemptResult<null>> {
    const scan = { projectId: projectOf(message), scanId: message.subjectId };
    const isFinished = message.topic === SCAN_FINISHED;
    const result = await this.em.fork().transactional(async (tx) => {
      const evaluated = await computeFindings(tx, scan);
      if (!evaluated || !isFinished) return null;
      await this.proofs.append(tx, scan);
      return { ...evaluated, alert: await this.alerts.send(tx, scan, evaluated) };
    });
    if (result) this.metrics.finished(result.ended, result.alert);
    return { kind: 'settled', outcome: null, healthy: true };
  }
}
