import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import { differenceOf } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { TierCheck } from '../../licensing/domain/tier-required.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectHooks } from '../../projects/project.hooks.js';
import { projectNotFound } from '../../projects/project.service.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { fieldErrors } from '../../shared/domain-error.js';
import {
  type AuthMode,
  isTakingAway,
  judgeSettingsChange,
  type TokenChange,
  type WantedSettings,
} from '../domain/settings-change.js';
import type { LastFailure } from '../domain/outcome.js';
import { HoldService, type HoldView } from './hold.service.js';
import { throttleKeyFor } from './settle-holds.js';
import { readLastFailure, readLastFailureReasons } from '../infrastructure/last-failure.rows.js';
import { Sender } from '../infrastructure/sender.js';
import { TokenVault } from '../infrastructure/token-vault.js';

/** The values that a save can change. The entity tag of the settings is computed from them. */
export interface TaggedSettings {
  enabled: boolean;
  endpointUrl: string | null;
  allowCustomEndpoint: boolean;
  forwardErasures: boolean;
  authMode: string;
  tokenUpdatedAt: Date | null;
}

/** Queued messages are counted up to this. */
const PENDING_COUNT_MAX = 10_000;

/** The settings as the dashboard sees them: of the token only that there is one (spec §2.2). */
export interface ForwardingSettingsView extends HoldView {
  enabled: boolean;
  endpointUrl: string | null;
  /** Whether the request-level endpoint is used while there is no endpoint of the project's; true until a first save. */
  allowCustomEndpoint: boolean;
  /** Whether the receiver is notified of erased records. */
  forwardErasures: boolean;
  authMode: AuthMode;
  tokenConfigured: boolean;
  tokenUpdatedAt: Date | null;
  /** Of the signing secret that there is one, since when, and until when the one before it signs too. */
  signing: { configured: boolean; createdAt: Date | null; formerValidUntil: Date | null };
  /** null: no delivery has failed. */
  lastFailure: LastFailure | null;
  lastDeliveredAt: Date | null;
  pending: number;
  /** Same as `pending`: all queued records. */
  waiting: number;
  /** Since when the oldest of them waits; null where none does. */
  oldestWaitingAt: Date | null;
  available: boolean;
}

interface SettingsRow {
  enabled: boolean;
  endpointUrl: string | null;
  allowCustomEndpoint: boolean;
  forwardErasures: boolean;
  authMode: AuthMode;
  tokenConfigured: boolean;
  tokenOrigin: string | null;
  tokenUpdatedAt: Date | null;
  signingCreatedAt: Date | null;
  formerSigningUntil: Date | null;
  lastDeliveredAt: Date | null;
}

/** What a project has that never saved anything. */
const UNSAVED: SettingsRow = {
  enabled: false,
  endpointUrl: null,
  allowCustomEndpoint: true,
  forwardErasures: false,
  authMode: 'bearer',
  tokenConfigured: false,
  tokenOrigin: null,
  tokenUpdatedAt: null,
  signingCreatedAt: null,
  formerSigningUntil: null,
  lastDeliveredAt: null,
};

const SETTINGS_COLUMNS = sql`
  enabled, endpoint_url as "endpointUrl", forward_erasures as "forwardErasures",
  allow_custom_endpoint or saved_at is null as "allowCustomEndpoint", auth_mode as "authMode", token_ciphertext is not null as "tokenConfigured",
  token_origin as "tokenOrigin", token_updated_at as "tokenUpdatedAt", last_delivered_at as "lastDeliveredAt",
  signing_created_at as "signingCreatedAt",
  case when former_signing_until > now() then former_signing_until end as "formerSigningUntil"
`;

/** Reads and saves a project's forwarding settings. */
@Injectable()
export class ForwardingSettingsService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    private readonly outbox: OutboxService,
    private readonly holds: HoldService,
    private readonly sender: Sender,
    private readonly vault: TokenVault,
    private readonly projects: ProjectHooks,
  ) {}

  onModuleInit(): void {
    this.projects.set({ readLastFailureReasons: (ids) => readLastFailureReasons(this.em.fork(), ids) });
  }

  async read(projectId: string): Promise<ForwardingSettingsView> {
    const em = this.em.fork();
    const { rows } = await sql<SettingsRow>`
      select ${SETTINGS_COLUMNS} from forwarding_settings where project_id = ${projectId}
    `.execute(em.getKysely());
    return this.viewOf(em, projectId, rows[0] ?? UNSAVED);
  }

  /**
   * Saves the settings (spec §2.2). Two saves at once take turns on the row, so each is judged against what
   * the other one left; `check` may refuse, seeing what is stored, by throwing. Below the tiers that forward, a save may only take away.
   * @throws DomainError `validation_failed` (422) with the refused fields, `tier_required` (403).
   */
  async save(
    { projectId, author, requireTier }: { projectId: string; author: Author; requireTier: TierCheck },
    wanted: WantedSettings,
    check: (stored: TaggedSettings) => void = () => {},
  ): Promise<ForwardingSettingsView> {
    await this.em.fork().transactional(async (tx) => {
      const stored = await lockSettings(tx, projectId);
      check(stored);
      if (!isTakingAway(wanted, stored)) requireTier();
      const change = judgeSettingsChange(
        wanted,
        { configured: stored.tokenConfigured, origin: stored.tokenOrigin },
        this.sender.exceptions,
      );
      if (change.kind === 'refused') throw fieldErrors(change.errors);
      await sql`
        update forwarding_settings
        set enabled = ${wanted.enabled}, endpoint_url = ${wanted.endpointUrl}, auth_mode = ${wanted.authMode},
            allow_custom_endpoint = ${wanted.allowCustomEndpoint ?? false},
            forward_erasures = ${wanted.forwardErasures ?? stored.forwardErasures}, saved_at = now(), updated_at = now()
        where project_id = ${projectId}
      `.execute(tx.getKysely());
      await this.applyTokenChange(tx, projectId, change);
      await auditSave(tx, author, { projectId, stored, wanted, token: change.token });
      // The saved settings may fix the receiver.
      await this.holds.probe(tx, projectId);
    });
    return this.read(projectId);
  }

  private async applyTokenChange(
    tx: EntityManager,
    projectId: string,
    { token, origin }: { token: TokenChange; origin: string | null },
  ): Promise<void> {
    if (token.kind === 'keep') return;
    const sealed = token.kind === 'replace' ? this.vault.seal(projectId, token.token) : null;
    await sql`
      update forwarding_settings
      set token_ciphertext = ${sealed?.ciphertext ?? null}, token_key_id = ${sealed?.keyId ?? null},
          token_origin = ${sealed ? origin : null},
          token_updated_at = ${sealed ? new Date() : null}::timestamptz
      where project_id = ${projectId}
    `.execute(tx.getKysely());
  }

  private async viewOf(
    em: EntityManager,
    projectId: string,
    settings: SettingsRow,
  ): Promise<ForwardingSettingsView> {
    const project = await findProject(em, projectId);
    if (!project) throw projectNotFound();
    const tier = await this.licensing.tierOf(project, new Date());
    const pending = await this.outbox.countWaiting(throttleKeyFor(projectId), PENDING_COUNT_MAX);
    return {
      ...(await this.holds.read(projectId, settings.enabled)),
      enabled: settings.enabled,
      endpointUrl: settings.endpointUrl,
      allowCustomEndpoint: settings.allowCustomEndpoint,
      forwardErasures: settings.forwardErasures,
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
      oldestWaitingAt: pending.oldestAt,
      available: FORWARDING_TIERS.includes(tier),
    };
  }
}

/** Of the token only whether it was replaced or removed. */
async function auditSave(
  tx: EntityManager,
  author: Author,
  saved: { projectId: string; stored: SettingsRow; wanted: WantedSettings; token: TokenChange },
): Promise<void> {
  const { projectId, stored, wanted, token } = saved;
  const shown = (settings: SettingsRow): object => {
    const { enabled, endpointUrl, authMode, allowCustomEndpoint, forwardErasures } = settings;
    return { enabled, endpointUrl, authMode, allowCustomEndpoint, forwardErasures };
  };
  const { allowCustomEndpoint = false, forwardErasures = stored.forwardErasures } = wanted;
  const after = { ...stored, ...wanted, allowCustomEndpoint, forwardErasures };
  const difference = differenceOf(shown(stored), shown(after));
  if (!difference && token.kind === 'keep') return;
  await writeAudit(tx, author, {
    ...{ projectId, action: 'forwarding.save', before: difference?.before ?? {} },
    after: { ...difference?.after, ...(token.kind !== 'keep' && { bearerToken: TOKEN_WORDS[token.kind] }) },
  });
}

const TOKEN_WORDS = { replace: 'replaced', drop: 'removed' } as const;

/**
 * Takes the project's settings row for this transaction, making it first where there is none. A row that is made
 * here does not count as saved.
 */
export async function lockSettings(tx: EntityManager, projectId: string): Promise<SettingsRow> {
  await sql`
    insert into forwarding_settings (project_id, saved_at) values (${projectId}, null) on conflict do nothing
  `.execute(tx.getKysely());
  const { rows } = await sql<SettingsRow>`
    select ${SETTINGS_COLUMNS} from forwarding_settings where project_id = ${projectId} for update
  `.execute(tx.getKysely());
  return rows[0] ?? UNSAVED;
}
