import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EndpointRequests } from '../../../platform/delivery/endpoint-requests.js';
import { createSigningSecret } from '../../../platform/delivery/domain/webhook-signature.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { isUuid, newId } from '../../../platform/identity/ids.js';
import { writeAudit } from '../../audit/audit.log.js';
import { diffStates } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { lockProject } from '../../projects/project.rows.js';
import {
  type EndpointSettings,
  type EndpointView,
  ENDPOINTS_PER_PROJECT_MAX,
  FORMER_SECRET_HOURS,
  WAITING_COUNTED_MAX,
} from '../domain/event-endpoint.js';
import { EndpointVault } from '../infrastructure/endpoint-vault.js';
import {
  countEndpoints,
  countWaitingEvents,
  type EndpointRef,
  type EndpointRow,
  findEndpoint,
  lockCircuits,
  readEndpoints,
} from '../infrastructure/endpoint.rows.js';
import { EventEndpoint } from '../infrastructure/event.entities.js';

const HOUR_MS = 60 * 60_000;
const NO_FORMER_SECRET = {
  formerSecretCiphertext: null,
  formerSecretKeyId: null,
  formerSecretUntil: null,
};

/** A secret in plain text, returned only once. */
export interface NewSecret {
  secret: string;
  /** Until when the former one signs too; null: there was none. */
  formerSecretValidUntil: Date | null;
}

/** Creates, reads and changes event endpoints. */
@Injectable()
export class EndpointService {
  constructor(
    private readonly em: EntityManager,
    private readonly requests: EndpointRequests,
    private readonly vault: EndpointVault,
  ) {}

  /** All endpoints of a project, newest first. */
  async list(projectId: string): Promise<EndpointView[]> {
    const em = this.em.fork();
    const rows = await readEndpoints(em, projectId);
    const waiting = await countWaitingEvents(em, { projectId, max: WAITING_COUNTED_MAX });
    return rows.map((row) => toView(row, waiting.get(row.id)));
  }

  /** @throws DomainError `event_endpoint_not_found`. */
  async read(ref: EndpointRef): Promise<EndpointView> {
    const em = this.em.fork();
    const row = await requireEndpoint(em, ref);
    const waiting = await countWaitingEvents(em, { ...ref, max: WAITING_COUNTED_MAX });
    return toView(row, waiting.get(row.id));
  }

  /**
   * Creates an endpoint with a new signing secret.
   *
   * @throws DomainError `validation_failed` (422) for the URL, `event_endpoint_limit_reached` (409).
   */
  async create(
    projectId: string,
    settings: EndpointSettings,
    author: Author,
  ): Promise<EndpointView & NewSecret> {
    this.refuseUrl(settings.url);
    const ref = { projectId, id: newId() };
    const secret = createSigningSecret();
    const sealed = this.vault.seal(ref, secret);
    await this.em.fork().transactional(async (tx) => {
      await lockProject(tx, projectId);
      if ((await countEndpoints(tx, projectId)) >= ENDPOINTS_PER_PROJECT_MAX)
        throw new DomainError(
          'event_endpoint_limit_reached',
          `A project can have up to ${ENDPOINTS_PER_PROJECT_MAX} event endpoints. Delete one first.`,
        );
      await tx.insert(EventEndpoint, {
        ...ref,
        ...settings,
        disabledReason: settings.enabled ? null : 'owner',
        secretCiphertext: sealed.ciphertext,
        secretKeyId: sealed.keyId,
        createdAt: new Date(),
      });
      const after = { ...settings };
      await writeAudit(tx, author, { projectId, action: 'event_endpoint.create', target: ref.id, after });
    });
    return { ...(await this.read(ref)), secret };
  }

  /**
   * Changes the given members. `check` may throw after comparing the stored ones. A held endpoint is probed soon;
   * enabling an endpoint forgets its failures.
   *
   * @throws DomainError `event_endpoint_not_found`, `validation_failed` (422) for the URL.
   */
  async update(
    ref: EndpointRef,
    change: Partial<EndpointSettings>,
    { author, check }: { author: Author; check: (stored: EndpointView) => void },
  ): Promise<EndpointView> {
    if (change.url !== undefined) this.refuseUrl(change.url);
    await this.em.fork().transactional(async (tx) => {
      const stored = await lockEndpoint(tx, ref);
      check(toView(stored));
      const saved = { ...settingsOf(stored), ...change };
      const difference = diffStates(settingsOf(stored), saved);
      if (!difference) return;
      const isEnabledAnew = saved.enabled && !stored.enabled;
      await tx.nativeUpdate(EventEndpoint, ref, {
        ...saved,
        ...(saved.enabled !== stored.enabled && { disabledReason: saved.enabled ? null : 'owner' }),
        ...(isEnabledAnew && ANEW),
        ...PROBED_NOW(new Date()),
      });
      await writeAudit(tx, author, {
        projectId: ref.projectId,
        action: 'event_endpoint.update',
        target: ref.id,
        ...difference,
      });
    });
    return this.read(ref);
  }

  /** Deletes an endpoint with its deliveries; the events stay. @throws DomainError `event_endpoint_not_found`. */
  async remove(
    ref: EndpointRef,
    { author, check }: { author: Author; check: (stored: EndpointView) => void },
  ): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const stored = await lockEndpoint(tx, ref);
      check(toView(stored));
      await tx.nativeDelete(EventEndpoint, ref);
      await writeAudit(tx, author, {
        projectId: ref.projectId,
        action: 'event_endpoint.delete',
        target: ref.id,
        before: { ...settingsOf(stored) },
      });
    });
  }

  /**
   * Gives the endpoint a new secret. The former one also signs for 24 hours; the one before that no longer.
   * @throws DomainError `event_endpoint_not_found`.
   */
  async rotateSecret(ref: EndpointRef, author: Author, now: Date): Promise<NewSecret> {
    const secret = createSigningSecret();
    const sealed = this.vault.seal(ref, secret);
    const formerSecretValidUntil = new Date(now.getTime() + FORMER_SECRET_HOURS * HOUR_MS);
    await this.em.fork().transactional(async (tx) => {
      const stored = await lockEndpoint(tx, ref);
      await tx.nativeUpdate(EventEndpoint, ref, {
        secretCiphertext: sealed.ciphertext,
        secretKeyId: sealed.keyId,
        formerSecretCiphertext: stored.secretCiphertext,
        formerSecretKeyId: stored.secretKeyId,
        formerSecretUntil: formerSecretValidUntil,
      });
      const { projectId, id: target } = ref;
      const after = { formerSecretValidUntil };
      await writeAudit(tx, author, { projectId, action: 'event_endpoint.rotate_secret', target, after });
    });
    return { secret, formerSecretValidUntil };
  }

  /** Ends the validity of the former secret now; does nothing without one. @throws DomainError as `rotateSecret`. */
  async forgetFormerSecret(ref: EndpointRef, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const stored = await lockEndpoint(tx, ref);
      if (stored.formerSecretUntil === null) return;
      await tx.nativeUpdate(EventEndpoint, ref, NO_FORMER_SECRET);
      const { projectId, id: target } = ref;
      await writeAudit(tx, author, { projectId, action: 'event_endpoint.forget_former_secret', target });
    });
  }

  private refuseUrl(url: string): void {
    const judgement = this.requests.judge(url);
    if (judgement.kind === 'refused')
      throw fieldErrors([{ field: 'url', message: judgement.reason, ...judgement.problem }]);
  }
}

/** A healthy receiver: the state of an endpoint that is enabled again. */
const ANEW = {
  phase: 'closed',
  failures: 0,
  failingSince: null,
  heldSince: null,
  heldReason: null,
  probes: 0,
  batchLimit: 1,
  answeredProbe: 0,
  probeNumber: 0,
  nextClaimAt: null,
  unsuccessfulSince: null,
  mailedDay: 0,
} as const;

/** The scheduler looks at the endpoint at once; a held one sends its next probe, and its back-off is reset. */
export const PROBED_NOW = (now: Date) => ({ wakeAt: now, nextClaimAt: now, probes: 0 });

/** @throws DomainError `event_endpoint_not_found`, also for an id that is none. */
export async function requireEndpoint(em: EntityManager, ref: EndpointRef): Promise<EndpointRow> {
  const endpoint = isUuid(ref.id) ? await findEndpoint(em, ref) : null;
  if (endpoint) return endpoint;
  throw new DomainError('event_endpoint_not_found', 'Event endpoint not found in this project.');
}

/** Changes of an endpoint take turns on its row. @throws DomainError as `requireEndpoint`. */
export async function lockEndpoint(tx: EntityManager, ref: EndpointRef): Promise<EndpointRow> {
  if (isUuid(ref.id)) await lockCircuits(tx, [ref]);
  return requireEndpoint(tx, ref);
}

function settingsOf({
  url,
  description,
  eventTypes,
  enabled,
  keepResponseBodies,
}: EndpointSettings): EndpointSettings {
  return { url, description, eventTypes, enabled, keepResponseBodies };
}

function toView(row: EndpointRow, waiting = 0): EndpointView {
  const { id, enabled, phase, disabledReason, formerSecretUntil, lastDeliveredAt, createdAt } = row;
  const isHeld = enabled && phase === 'open';
  return {
    id,
    ...settingsOf(row),
    state: enabled ? (isHeld ? 'held' : 'active') : 'disabled',
    heldSince: isHeld ? row.heldSince : null,
    heldReason: isHeld ? row.heldReason : null,
    nextProbeAt: isHeld ? row.nextClaimAt : null,
    disabledReason,
    failingSince: row.unsuccessfulSince,
    lastDeliveredAt,
    waiting,
    formerSecretValidUntil:
      formerSecretUntil !== null && formerSecretUntil > new Date() ? formerSecretUntil : null,
    createdAt,
  };
}
