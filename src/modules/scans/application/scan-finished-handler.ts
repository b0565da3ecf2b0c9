import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { backgroundJob, DONE } from '../../../platform/outbox/outbox.handler.js';
import { type OutboxMessage, projectOf } from '../../../platform/outbox/domain/outbox-message.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
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
export class ScanFinishedHandler implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly proofs: ScanProofService,
    private readonly alerts: ScanAlerts,
    private readonly metrics: ScanMetrics,
  ) {}

  onModuleInit(): void {
    this.outbox.register(
      backgroundJob({
        topics: [SCAN_FINISHED, SCAN_RECLASSIFIED],
        slotsMax: SLOTS,
        slotsPerKeyMax: 1,
        attemptMaxMs: ATTEMPT_MAX_MS,
        run: (message) => this.run(message),
        abandoned: {
          kind: 'dead',
          error: 'The service was interrupted on every attempt to evaluate a scan.',
        },
      }),
    );
  }

  /** Evaluates the scan of a message. */
  async run(message: OutboxMessage): Promise<typeof DONE> {
    const scan = { projectId: projectOf(message), scanId: message.subjectId };
    const isFinished = message.topic === SCAN_FINISHED;
    const result = await this.em.fork().transactional(async (tx) => {
      const evaluated = await computeFindings(tx, scan);
      if (!evaluated || !isFinished) return null;
      await this.proofs.append(tx, scan);
      return { ...evaluated, alert: await this.alerts.send(tx, scan, evaluated) };
    });
    if (result) this.metrics.finished(result.ended, result.alert);
    return DONE;
  }
}
