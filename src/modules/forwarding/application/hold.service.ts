import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { MailService } from '../../../platform/mail/mail.service.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import {
  allowClaim,
  countThrottled,
  nextClaimAt,
  removeThrottles,
  waitingSince,
} from '../../../platform/outbox/claim-throttles.js';
import {
  BUG_SCHEDULE,
  projectOf,
  type Attempt,
  type AttemptResult,
  type OutboxMessage,
  type Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import type { OutboxHandler } from '../../../platform/outbox/outbox.handler.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { AccessService } from '../../access/access.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { CONSENT_RECORDED } from '../../consent/domain/consent-recorded.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { findProject } from '../../projects/project.rows.js';
import {
  ALL_WELL,
  type Hold,
  type HoldNews,
  isAllWell,
  judgeNews,
  type NewsVerdict,
} from '../../../platform/delivery/domain/hold.js';
import { FORWARDING_HOLD } from '../forwarding.events.js';
import { type ForwardingSettings, forwardingSettings } from '../forwarding.settings.js';
import { ForwardingMetrics } from '../infrastructure/forwarding.metrics.js';
import {
  countHeld,
  databaseNow,
  deleteHolds,
  forgetAllHolds,
  forgetProbes,
  lockHolds,
  readHold,
  writeHolds,
} from '../infrastructure/hold.rows.js';
import { countAllRetries, releaseRetries } from '../infrastructure/retry.rows.js';
import { throttleKeyFor } from './settle-holds.js';

/** Limit of the count of records behind one throttle, for the metrics. */
const HELD_COUNT_MAX = 100_000;
/** Limit of the count of retries of all projects, for the metrics. */
const RETRYING_COUNT_MAX = 100_000;

export const HOLD_STATES = ['active', 'held'] as const;

/** Whether a project's records are held back until its receiver recovers. */
export interface HoldView {
  state: (typeof HOLD_STATES)[number];
  /** null while active, as are the two below. */
  heldSince: Date | null;
  /** The failure that started it, a sentence for the owner. */
  heldReason: string | null;
  /**
   * When the oldest record is sent; during an attempt, when that attempt counts as lost and the
   * next one starts.
   */
  nextProbeAt: Date | null;
}

/** Reads and resumes holds. */
@Injectable()
export class HoldService implements OnApplicationBootstrap {
  private readonly logger = new Logger(HoldService.name);
  private readonly isSwitchedOff: boolean;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly licensing: LicensingService,
    metrics: ForwardingMetrics,
    @InjectSettings(forwardingSettings) { holdHours }: ForwardingSettings,
  ) {
    this.isSwitchedOff = holdHours === 0;
    const counted = new RecentAnswer(() => this.count(), BACKLOG_AGE_MAX_MS);
    metrics.watchHolds(() => counted.get());
    const retrying = new RecentAnswer(
      () => countAllRetries(this.em.fork(), RETRYING_COUNT_MAX),
      BACKLOG_AGE_MAX_MS,
    );
    metrics.watchRetries(() => retrying.get());
  }

  /** If the operator has disabled holds, queued records are released. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.isSwitchedOff) await this.releaseAll();
  }

  /** A project that does not forward (switched off, or the tier does not allow it) is active at once. */
  async read(projectId: string, isEnabled: boolean): Promise<HoldView> {
    const hold = isEnabled ? await readHold(this.em.fork(), projectId) : null;
    if (hold?.phase !== 'open' || !(await this.mayForward(projectId)))
      return { state: 'active', heldSince: null, heldReason: null, nextProbeAt: null };
    return {
      state: 'held',
      heldSince: hold.heldSince,
      heldReason: hold.heldReason,
      nextProbeAt: await nextClaimAt(this.em.fork(), throttleKeyFor(projectId)),
    };
  }

  /** Sends the oldest queued record now, on request of a user; does nothing if the project is not held. */
  async resume(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await this.probe(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'forwarding.resume' });
    });
  }

  /** Call this after a successful Test. */
  async endpointAnswered(projectId: string): Promise<void> {
    await this.em.fork().transactional((tx) => this.probe(tx, projectId));
  }

  /**
   * Sends the oldest queued record of a held project now and resets the back-off; returns whether
   * it is held. Waiting retries become due soon.
   */
  async probe(tx: EntityManager, projectId: string): Promise<boolean> {
    // Before the hold's row: settlement locks retries before holds.
    await releaseRetries(tx, [projectId]);
    const isHeld = await forgetProbes(tx, projectId);
    if (await allowClaim(tx, throttleKeyFor(projectId))) this.outbox.notifyAfterCommit(tx);
    return isHeld;
  }

  private async mayForward(projectId: string): Promise<boolean> {
    const tierOf = await this.licensing.tiersOf([projectId], new Date());
    const resolved = tierOf(projectId, null);
    return resolved !== null && FORWARDING_TIERS.includes(resolved.tier);
  }

  private async releaseAll(): Promise<void> {
    const released = await this.em.fork().transactional(async (tx) => {
      const projectIds = await forgetAllHolds(tx);
      await removeThrottles(tx, projectIds.map(throttleKeyFor));
      this.outbox.notifyAfterCommit(tx);
      return projectIds.length;
    });
    if (released > 0)
      this.logger.warn({ projects: released }, 'holds are turned off; sending records that were on hold');
  }

  private async count(): Promise<{ projects: number; records: number }> {
    const [projects, records] = await Promise.all([
      countHeld(this.em.fork()),
      countThrottled(this.em.fork(), CONSENT_RECORDED, HELD_COUNT_MAX),
    ]);
    return { projects, records };
  }
}

/** Checks and mails are cheap, so they need few slots. */
const SLOTS = 8;

/** Notifies owners by mail, and the audit log, when holds begin and end: the handler of `forwarding.hold`. */
@Injectable()
export class HoldNotifications implements OutboxHandler<null>, OnModuleInit {
  readonly topics = [FORWARDING_HOLD];
  readonly slotsMax = SLOTS;
  readonly attemptMaxMs = 0;
  readonly retry = BUG_SCHEDULE;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly access: AccessService,
    private readonly mails: MailService,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<null>[]> {
    return Promise.resolve(messages.map((message) => () => this.attempt(message)));
  }

  /** Writes mail and audit event in the transaction that deletes the message, so exactly once. */
  async settle(tx: EntityManager, settled: Settled<null>[]): Promise<void> {
    for (const { message } of settled) await this.notify(tx, message);
  }

  discard(): AttemptResult<null> {
    return { kind: 'settled', outcome: null, healthy: true };
  }

  private async attempt(message: OutboxMessage): Promise<AttemptResult<null>> {
    const em = this.em.fork();
    const projectId = projectOf(message);
    const verdict = await this.judge(em, message, await readHold(em, projectId));
    if (verdict.kind !== 'wait') return { kind: 'settled', outcome: null, healthy: true };
    return { kind: 'retry', afterMs: verdict.afterMs, error: 'Not due yet.' };
  }

  private async judge(em: EntityManager, message: OutboxMessage, hold: Hold | null): Promise<NewsVerdict> {
    const news = newsIn(message);
    const isEnd = news.kind === 'ended';
    const backlogSince = isEnd ? await waitingSince(em, throttleKeyFor(projectOf(message))) : null;
    return judgeNews(news, { hold, backlogSince, now: await databaseNow(em) });
  }

  private async notify(tx: EntityManager, message: OutboxMessage): Promise<void> {
    const projectId = projectOf(message);
    const { at, holds } = await lockHolds(tx, { known: [projectId], failing: [] });
    const [hold] = holds;
    const project = await findProject(tx, projectId);
    if (!hold?.heldSince || !project) return;
    if ((await this.judge(tx, message, hold)).kind !== 'tell') return;
    const { heldSince, heldReason, endedAt, lost, sent } = hold;
    const owners = await this.access.ownersOf(tx, projectId);
    const about = { project: project.name, since: heldSince.toISOString() };
    if (newsIn(message).kind === 'began') {
      await writeHolds(tx, [{ ...hold, notifiedAt: at }]);
      const after = { heldSince, reason: heldReason, lost };
      await writeAudit(tx, { kind: 'system' }, { projectId, action: 'forwarding.held', after });
      for (const to of owners) {
        const values = { ...about, reason: heldReason ?? '', lost };
        await this.mails.send({ to, template: 'receiver_away', values, projectId }, tx);
      }
      return;
    }
    await forgetTold(tx, { ...hold, projectId });
    const after = { heldSince, endedAt, lost, sent };
    await writeAudit(tx, { kind: 'system' }, { projectId, action: 'forwarding.released', after });
    for (const to of owners) {
      const values = { ...about, until: endedAt?.toISOString() ?? '', lost, sent };
      await this.mails.send({ to, template: 'receiver_back', values, projectId }, tx);
    }
  }
}

/** Clears the reported hold and keeps later failures. */
async function forgetTold(tx: EntityManager, hold: Hold & { projectId: string }): Promise<void> {
  const { heldSince, heldReason, endedAt, notifiedAt, lost, sent } = ALL_WELL;
  const rest = { ...hold, heldSince, heldReason, endedAt, notifiedAt, lost, sent };
  if (isAllWell(rest)) await deleteHolds(tx, [hold.projectId]);
  else await writeHolds(tx, [rest]);
}

function newsIn({ payload }: OutboxMessage): HoldNews {
  const { kind, heldSince } = payload as { kind: HoldNews['kind']; heldSince: string };
  return { kind, heldSince: new Date(heldSince) };
}
