import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { AccessService } from '../../access/access.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import {
  BUG_SCHEDULE,
  projectOf,
  type Attempt,
  type AttemptResult,
  type OutboxMessage,
  type Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import type { OutboxHandler } from '../../../platform/outbox/outbox.handler.js';
import { waitingSince } from '../../../platform/outbox/claim-throttles.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { findProject } from '../../projects/project.rows.js';
import { ALL_WELL, type Hold, isAllWell } from '../domain/hold.js';
import { type HoldNews, judgeNews, type NewsVerdict } from '../domain/hold-news.js';
import { FORWARDING_HOLD } from '../forwarding.events.js';
import { databaseNow, deleteHolds, lockHolds, readHold, writeHolds } from '../infrastructure/hold.rows.js';
import { throttleKeyFor } from './settle-holds.js';

/** Checks and mails are cheap, so they need few slots. */
const SLOTS = 8;

/**
 * Notifies owners by mail, and the audit log, when holds begin and end: the handler of
 * `forwarding.hold`.
 */
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
