import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { writeEvents } from '../../events/event.log.js';
import { CONSENT_RECORDED } from '../../consent/domain/consent-recorded.js';
import type { ThrottleKey } from '../../../platform/outbox/domain/claim-throttle.js';
import { projectOf, type Settled } from '../../../platform/outbox/domain/outbox-message.js';
import { oldestWaiting, removeThrottles, setThrottles } from '../../../platform/outbox/claim-throttles.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import {
  afterBacklog,
  afterOutcome,
  type HoldChange,
  type HoldTerms,
  isAllWell,
  newsOf,
  OVERDUE_MAX,
  throttleForOverdue,
} from '../../../platform/delivery/domain/hold.js';
import type { ClassifiedOutcome } from '../domain/delivery-outcome.js';
import { retryOf } from '../domain/retry.js';
import { holdNewsMessage } from '../forwarding.events.js';
import { type ForwardingSettings, forwardingSettings } from '../forwarding.settings.js';
import { releaseRetries } from '../infrastructure/retry.rows.js';
import { deleteHolds, type HoldRow, lockHolds, writeHolds } from '../infrastructure/hold.rows.js';

const HOUR_MS = 60 * 60 * 1000;

/** The change of one hold by a batch. */
interface ProjectChange extends HoldChange {
  projectId: string;
  before: HoldRow;
}

/** Updates the holds, in the transaction that settles outcomes. */
@Injectable()
export class SettleHolds {
  private readonly holdMs: number;

  constructor(
    private readonly outbox: OutboxService,
    @InjectSettings(forwardingSettings) settings: ForwardingSettings,
  ) {
    this.holdMs = settings.holdHours * HOUR_MS;
  }

  /**
   * Applies outcomes to the holds of their projects; `known` are projects with a row. While
   * everything succeeds it runs no query. `retried` are failed outcomes whose records are retried.
   * Returns the projects that are now held.
   */
  async settle(
    tx: EntityManager,
    settled: Settled<ClassifiedOutcome>[],
    { known, retried }: { known: ReadonlySet<string>; retried: ReadonlySet<unknown> },
  ): Promise<string[]> {
    const failing = settled.filter(({ outcome }) => outcome.health.kind === 'down').map(projectOfSettled);
    const begun = this.holdMs === 0 ? [] : failing;
    if (known.size === 0 && begun.length === 0) return [];
    const { at, holds } = await lockHolds(tx, { known: [...known], failing: [...new Set(begun)] });
    const inOrder = settled.toSorted(
      (one, other) => one.outcome.attemptedAt.getTime() - other.outcome.attemptedAt.getTime(),
    );
    const ofProject = Map.groupBy(inOrder, projectOfSettled);
    // Separate jitter, so that projects that failed together are not probed together.
    const terms = (): HoldTerms => ({ now: at, holdMs: this.holdMs, random: Math.random() });
    const changes = holds.map((before) =>
      changeOf(before, ofProject.get(before.projectId) ?? [], { terms: terms(), retried }),
    );
    const settledChanges = await this.withBacklog(tx, changes, terms());
    await this.write(tx, settledChanges);
    // These retries waited for the end of the hold.
    await releaseRetries(tx, settledChanges.filter(hasEnded).map(projectIdOf));
    return settledChanges
      .filter(({ hold }) => hold.phase === 'suspect' || hold.phase === 'open')
      .map(({ projectId }) => projectId);
  }

  /** Adjusts throttles for overdue records and for empty backlogs. */
  private async withBacklog(
    tx: EntityManager,
    changes: ProjectChange[],
    terms: HoldTerms,
  ): Promise<ProjectChange[]> {
    const affected = changes.filter(
      ({ hold, throttle }) => hold.phase === 'half_open' || (hold.phase === 'open' && throttle),
    );
    if (affected.length === 0) return changes;
    const throttleKeys = affected.map(({ projectId }) => throttleKeyFor(projectId));
    const oldest = await oldestWaiting(tx, throttleKeys, OVERDUE_MAX);
    const ofKey = Map.groupBy(oldest, ({ orderingKey }) => orderingKey);
    return changes.map((change) => {
      if (!affected.includes(change)) return change;
      const waitingSince = (ofKey.get(change.projectId) ?? []).map(({ createdAt }) => createdAt);
      if (change.hold.phase === 'open' && change.throttle)
        return { ...change, throttle: throttleForOverdue(change.throttle, waitingSince, terms) };
      return waitingSince.length > 0
        ? change
        : { ...change, hold: afterBacklog(change.hold), throttle: null };
    });
  }

  private async write(tx: EntityManager, changes: ProjectChange[]): Promise<void> {
    const well = changes.filter(({ hold }) => isAllWell(hold));
    const ill = changes.filter((change) => !well.includes(change));
    if (ill.length > 0) await writeHolds(tx, ill.map(rowOf));
    if (well.length > 0) await deleteHolds(tx, well.map(projectIdOf));
    const throttles = changes.flatMap(({ projectId, throttle }) =>
      throttle ? [{ ...throttleKeyFor(projectId), ...throttle }] : [],
    );
    await setThrottles(tx, throttles);
    const news = changes.flatMap(({ projectId, before, hold }) => {
      const holdNews = newsOf(before, hold);
      return holdNews ? [holdNewsMessage(projectId, holdNews)] : [];
    });
    await this.outbox.appendMany(tx, news);
    for (const change of changes) await writeHoldEvent(tx, change);
    const released = changes.filter(({ throttle }) => throttle === null);
    if (released.length === 0) return;
    await removeThrottles(
      tx,
      released.map(({ projectId }) => throttleKeyFor(projectId)),
    );
    this.outbox.notifyAfterCommit(tx);
  }
}

function rowOf({ projectId, hold }: ProjectChange): HoldRow {
  return { ...hold, projectId };
}

function projectIdOf({ projectId }: { projectId: string }): string {
  return projectId;
}

/** The throttle key of the records of a project. */
export function throttleKeyFor(projectId: string): ThrottleKey {
  return { orderingKey: projectId, topic: CONSENT_RECORDED };
}

function hasEnded({ before, hold }: ProjectChange): boolean {
  return before.phase === 'open' && hold.phase !== 'open';
}

async function writeHoldEvent(tx: EntityManager, change: ProjectChange): Promise<void> {
  const { projectId, before, hold } = change;
  const isResumed = hasEnded(change);
  const isHeld = before.phase !== 'open' && hold.phase === 'open';
  const { heldSince } = isHeld ? hold : before;
  if ((!isHeld && !isResumed) || heldSince === null) return;
  const type = isHeld ? 'forwarding.held' : 'forwarding.resumed';
  await writeEvents(tx, projectId, [{ type, id: projectId, data: { heldSince } }]);
}

function changeOf(
  before: HoldRow,
  settled: Settled<ClassifiedOutcome>[],
  { terms, retried }: { terms: HoldTerms; retried: ReadonlySet<unknown> },
): ProjectChange {
  const { projectId } = before;
  let change: HoldChange = { hold: before };
  for (const one of settled) {
    const { probeNumber } = one.message;
    const { health, reason } = one.outcome;
    const createdAt = retryOf(one.message)?.queuedAt ?? one.message.createdAt;
    const isRetried = retried.has(one);
    const next = afterOutcome(change.hold, { health, reason, probeNumber, createdAt, isRetried }, terms);
    // An outcome without a throttle keeps the throttle of earlier outcomes.
    change = { ...change, ...next };
  }
  return { ...change, projectId, before };
}

function projectOfSettled({ message }: Settled<ClassifiedOutcome>): string {
  return projectOf(message);
}
