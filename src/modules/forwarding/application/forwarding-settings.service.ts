import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { countWaiting } from '../../../platform/outbox/queued-messages.js';
import { writeAudit } from '../../audit/audit.log.js';
import { diffStates } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import type { TierCheck } from '../../licensing/domain/tier-required.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { findProject } from '../../projects/project.rows.js';
import { projectNotFound } from '../../projects/project.service.js';
import type { LastFailure } from '../domain/delivery-outcome.js';
import type { RetryFailures } from '../domain/retry.js';
import {
  type AuthMode,
  completeRequest,
  judgeSettingsChange,
  keepsTarget,
  onlyDisables,
  type SaveSettingsRequest,
  type SettingsChange,
  type SettingsRequest,
  type TokenChange,
} from '../domain/settings-change.js';
import {
  createSigningSecret,
  FORMER_SECRET_DAYS,
} from '../../../platform/delivery/domain/webhook-signature.js';
import { ForwardingSettingsEntity } from '../infrastructure/forwarding.entities.js';
import { readLastFailure } from '../infrastructure/last-outcomes.rows.js';
import { countRetries } from '../infrastructure/retry.rows.js';
import {
  deleteFormerSigningSecret,
  deleteSigningSecrets,
  rotateSigningSecret,
  TokenVault,
} from '../infrastructure/secret.rows.js';
import { Sender } from '../../../platform/delivery/sender.js';
import { lockSettings, readForwardingSettings, type SettingsRow } from '../infrastructure/settings.rows.js';
import { retryQueue } from './delivery-log.service.js';
import { HoldService, type HoldView } from './hold.service.js';
import { throttleKeyFor } from './settle-holds.js';

/** The values that a save can change. The entity tag of the settings is computed from them. */
export interface TaggedSettings {
  enabled: boolean;
  endpointUrl: string | null;
  allowCustomEndpoint: boolean;
  forwardErasures: boolean;
  retryFailures: RetryFailures;
  keepResponseBodies: boolean;
  authMode: string;
  tokenUpdatedAt: Date | null;
}

/** Limit of the count of queued messages. */
const PENDING_COUNT_MAX = 10_000;

/** The change of a save that keeps endpoint and token. */
const KEPT: SettingsChange = { kind: 'accepted', token: { kind: 'keep' }, origin: null };

/** The settings shown in the dashboard; of the token, only its presence (spec §2.2). */
export interface ForwardingSettingsView extends HoldView {
  enabled: boolean;
  endpointUrl: string | null;
  /**
   * Whether the request-level endpoint is used while the project has no endpoint; true until the first save.
   */
  allowCustomEndpoint: boolean;
  /** Whether the receiver is notified of erased records. */
  forwardErasures: boolean;
  /** Whether failed deliveries are retried automatically, and for how long after the first attempt. */
  retryFailures: RetryFailures;
  /** Whether failed attempts keep the beginning of their response body. */
  keepResponseBodies: boolean;
  authMode: AuthMode;
  tokenConfigured: boolean;
  tokenUpdatedAt: Date | null;
  /** Whether a signing secret exists, since when, and until when the previous one signs too. */
  signing: { configured: boolean; createdAt: Date | null; formerValidUntil: Date | null };
  /** null: no delivery has failed. */
  lastFailure: LastFailure | null;
  lastDeliveredAt: Date | null;
  pending: number;
  /** Same as `pending`: all queued records. */
  waiting: number;
  /** Of those, failed records that are being retried. */
  retrying: number;
  /** When the oldest of them was queued; null without any. */
  oldestWaitingAt: Date | null;
  available: boolean;
}

/** Reads and saves a project's forwarding settings. */
@Injectable()
export class ForwardingSettingsService {
  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    private readonly holds: HoldService,
    private readonly sender: Sender,
    private readonly vault: TokenVault,
  ) {}

  async read(projectId: string): Promise<ForwardingSettingsView> {
    const em = this.em.fork();
    return this.view(em, projectId, await readForwardingSettings(em, projectId));
  }

  /**
   * Saves the settings (spec §2.2). Concurrent saves wait for each other on the row lock, so each
   * is judged against the result of the other; `check` may throw after comparing the stored
   * settings. On tiers that don't forward, a save may only disable. A save that turns forwarding
   * off may omit endpoint, mode and token, which are then kept.
   *
   * @throws DomainError `validation_failed` (422) with the refused fields, `tier_required` (403).
   */
  async save(
    { projectId, author, requireTier }: { projectId: string; author: Author; requireTier: TierCheck },
    given: SaveSettingsRequest,
    check: (stored: TaggedSettings) => void = () => {},
  ): Promise<ForwardingSettingsView> {
    await this.em.fork().transactional(async (tx) => {
      const stored = await lockSettings(tx, projectId);
      check(stored);
      const request = completeRequest(given, stored);
      if (!onlyDisables(request, stored)) requireTier();
      const change = keepsTarget(given) ? KEPT : this.judge(request, stored);
      if (change.kind === 'refused') throw fieldErrors(change.errors);
      const {
        allowCustomEndpoint = false,
        forwardErasures = stored.forwardErasures,
        keepResponseBodies = stored.keepResponseBodies,
      } = request;
      const retryFailures = { ...stored.retryFailures, ...withoutUndefined(request.retryFailures) };
      const saved = { ...request, allowCustomEndpoint, forwardErasures, retryFailures, keepResponseBodies };
      const row = await tx.findOneOrFail(ForwardingSettingsEntity, { projectId });
      const { enabled, endpointUrl, authMode } = saved;
      Object.assign(row, {
        enabled,
        endpointUrl,
        authMode,
        allowCustomEndpoint,
        forwardErasures,
        keepResponseBodies,
        retryFailures: retryFailures.enabled,
        retryHours: retryFailures.hours,
        savedAt: new Date(),
        updatedAt: new Date(),
        ...this.tokenColumns(projectId, change),
      });
      await tx.flush();
      await auditSave(tx, author, { projectId, stored, saved, token: change.token });
      // The new settings may fix delivery.
      await this.holds.probe(tx, projectId);
    });
    return this.read(projectId);
  }

  private judge(request: SettingsRequest, stored: SettingsRow): SettingsChange {
    return judgeSettingsChange(
      request,
      { configured: stored.tokenConfigured, origin: stored.tokenOrigin },
      this.sender.exceptions,
    );
  }

  /** The columns of the token after a save; none if it is kept. */
  private tokenColumns(
    projectId: string,
    { token, origin }: { token: TokenChange; origin: string | null },
  ): Partial<ForwardingSettingsEntity> {
    if (token.kind === 'keep') return {};
    const isNew = token.kind === 'replace';
    const sealed = isNew ? this.vault.seal(projectId, token.token) : null;
    return {
      tokenCiphertext: sealed?.ciphertext ?? null,
      tokenKeyId: sealed?.keyId ?? null,
      tokenOrigin: isNew ? origin : null,
      tokenUpdatedAt: isNew ? new Date() : null,
    };
  }

  /** Queued records, and records with a scheduled retry. */
  private async countPending(
    em: EntityManager,
    projectId: string,
  ): Promise<{ count: number; retrying: number; oldestAt: Date | null }> {
    const [first, repeated, retries] = await Promise.all([
      countWaiting(this.em.fork(), throttleKeyFor(projectId), PENDING_COUNT_MAX),
      countWaiting(this.em.fork(), retryQueue(projectId), PENDING_COUNT_MAX),
      countRetries(em, projectId, PENDING_COUNT_MAX),
    ]);
    const count = Math.min(PENDING_COUNT_MAX, first.count + repeated.count + retries.waiting);
    const oldest = [first.oldestAt, repeated.oldestAt, retries.oldestAt]
      .filter((at) => at !== null)
      .toSorted((one, other) => one.getTime() - other.getTime());
    return { count, retrying: retries.count, oldestAt: oldest[0] ?? null };
  }

  private async view(
    em: EntityManager,
    projectId: string,
    settings: SettingsRow,
  ): Promise<ForwardingSettingsView> {
    const project = await findProject(em, projectId);
    if (!project) throw projectNotFound();
    const tier = await this.licensing.tierOf(project, new Date());
    const pending = await this.countPending(em, projectId);
    return {
      ...(await this.holds.read(projectId, settings.enabled)),
      enabled: settings.enabled,
      endpointUrl: settings.endpointUrl,
      allowCustomEndpoint: settings.allowCustomEndpoint,
      forwardErasures: settings.forwardErasures,
      retryFailures: settings.retryFailures,
      keepResponseBodies: settings.keepResponseBodies,
      authMode: settings.authMode,
      tokenConfigured: settings.tokenConfigured,
      tokenUpdatedAt: settings.tokenUpdatedAt,
      signing: {
        configured: settings.signingCreatedAt !== null,
        createdAt: settings.signingCreatedAt,
        formerValidUntil: settings.formerSigningUntil,
      },
      lastDeliveredAt: settings.lastDeliveredAt,
      lastFailure: await readLastFailure(em, projectId),
      pending: pending.count,
      waiting: pending.count,
      retrying: pending.retrying,
      oldestWaitingAt: pending.oldestAt,
      available: FORWARDING_TIERS.includes(tier),
    };
  }
}

/** The members that are not undefined. */
function withoutUndefined(given: SettingsRequest['retryFailures']): Partial<RetryFailures> {
  if (!given) return {};
  const { enabled, hours } = given;
  return hours === undefined ? { enabled } : { enabled, hours };
}

type AuditedSettings = Pick<
  SettingsRow,
  | 'enabled'
  | 'endpointUrl'
  | 'authMode'
  | 'allowCustomEndpoint'
  | 'forwardErasures'
  | 'retryFailures'
  | 'keepResponseBodies'
>;

/** The event contains only whether the token was replaced or removed. */
async function auditSave(
  tx: EntityManager,
  author: Author,
  change: { projectId: string; stored: AuditedSettings; saved: AuditedSettings; token: TokenChange },
): Promise<void> {
  const { projectId, stored, saved, token } = change;
  const difference = diffStates(audited(stored), audited(saved));
  if (!difference && token.kind === 'keep') return;
  await writeAudit(tx, author, {
    projectId,
    action: 'forwarding.save',
    before: difference?.before ?? {},
    after: { ...difference?.after, ...(token.kind !== 'keep' && { bearerToken: TOKEN_WORDS[token.kind] }) },
  });
}

const TOKEN_WORDS = { replace: 'replaced', drop: 'removed' } as const;

function audited({
  enabled,
  endpointUrl,
  authMode,
  allowCustomEndpoint,
  forwardErasures,
  retryFailures,
  keepResponseBodies,
}: AuditedSettings): object {
  return {
    enabled,
    endpointUrl,
    authMode,
    allowCustomEndpoint,
    forwardErasures,
    retryFailures: retryFailures.enabled,
    retryHours: retryFailures.hours,
    keepResponseBodies,
  };
}

/** A new secret in plain text, returned only once. */
interface NewSigningSecret {
  signingSecret: string;
  /** Until when the previous one signs too; null: there was none. */
  formerValidUntil: Date | null;
}

/**
 * Creates, rotates and deletes the secret that signs requests to a project's endpoint (Standard Webhooks).
 */
@Injectable()
export class SigningSecretService {
  constructor(
    private readonly em: EntityManager,
    private readonly vault: TokenVault,
  ) {}

  /**
   * Creates a secret that signs all requests from now on. The previous one also signs for
   * `FORMER_SECRET_DAYS`, or until `forgetFormer`; the one before that expires at once, so there
   * are never more than two.
   */
  async make(projectId: string, author: Author, now: Date): Promise<NewSigningSecret> {
    const signingSecret = createSigningSecret();
    const sealed = this.vault.seal(projectId, signingSecret, 'signing_secret');
    const until = new Date(now.getTime() + FORMER_SECRET_DAYS * 24 * 60 * 60_000);
    return this.em.fork().transactional(async (tx) => {
      await lockSettings(tx, projectId);
      const isReplaced = await rotateSigningSecret(tx, projectId, { sealed, now, until });
      const formerValidUntil = isReplaced ? until : null;
      await writeAudit(tx, author, {
        projectId,
        action: 'signing_secret.create',
        after: { createdAt: now, formerValidUntil },
      });
      return { signingSecret, formerValidUntil };
    });
  }

  /** Ends the rotation: only the newest secret signs. Does nothing without a previous one. */
  async forgetFormer(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await deleteFormerSigningSecret(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'signing_secret.forget_former' });
    });
  }

  /** Stops signing. Does nothing if the project has no secret. */
  async remove(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await deleteSigningSecrets(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'signing_secret.remove' });
    });
  }
}
