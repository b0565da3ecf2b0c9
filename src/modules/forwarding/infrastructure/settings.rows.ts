import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Reads } from '../../../platform/database/prepared-reads.js';
import { tooManyRequests } from '../../../platform/errors/domain-error.js';
import type { SealedSecret } from '../../../platform/secrets/secret-vault.js';
import type { ForwardingPredicate } from '../../consent/consent.hooks.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import type { ForwardingTarget } from '../domain/destination.js';
import { RETRY_HOURS_DEFAULT, type RetryFailures } from '../domain/retry.js';
import type { AuthMode } from '../domain/settings-change.js';
import { ForwardingSettingsEntity } from './forwarding.entities.js';
import { forwardingTables } from './forwarding.tables.js';
import { LAST_DELIVERED_AT } from './last-outcomes.rows.js';

/** The settings for the dashboard and for the comparison at a save. */
export interface SettingsRow {
  enabled: boolean;
  endpointUrl: string | null;
  allowCustomEndpoint: boolean;
  forwardErasures: boolean;
  retryFailures: RetryFailures;
  keepResponseBodies: boolean;
  authMode: AuthMode;
  tokenConfigured: boolean;
  tokenOrigin: string | null;
  tokenUpdatedAt: Date | null;
  signingCreatedAt: Date | null;
  formerSigningUntil: Date | null;
  lastDeliveredAt: Date | null;
}

/** The settings of a project that never saved any. */
const UNSAVED: SettingsRow = {
  enabled: false,
  endpointUrl: null,
  allowCustomEndpoint: true,
  forwardErasures: false,
  retryFailures: { enabled: false, hours: RETRY_HOURS_DEFAULT },
  keepResponseBodies: false,
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
  json_build_object('enabled', retry_failures, 'hours', retry_hours) as "retryFailures",
  keep_response_bodies as "keepResponseBodies",
  allow_custom_endpoint or saved_at is null as "allowCustomEndpoint", auth_mode as "authMode",
  token_ciphertext is not null as "tokenConfigured", token_origin as "tokenOrigin",
  token_updated_at as "tokenUpdatedAt", ${LAST_DELIVERED_AT} as "lastDeliveredAt",
  signing_created_at as "signingCreatedAt",
  case when former_signing_until > now() then former_signing_until end as "formerSigningUntil"
`;

export async function readForwardingSettings(em: EntityManager, projectId: string): Promise<SettingsRow> {
  const { rows } = await sql<SettingsRow>`
    select ${SETTINGS_COLUMNS} from forwarding_settings f where project_id = ${projectId}
  `.execute(em.getKysely());
  return rows[0] ?? UNSAVED;
}

/** Locks the project's settings for the transaction. Creates a missing row, which does not count as saved. */
export async function lockSettings(tx: EntityManager, projectId: string): Promise<SettingsRow> {
  await forwardingTables(tx)
    .insertInto('forwarding_settings')
    .values({ projectId, savedAt: null })
    .onConflict((known) => known.doNothing())
    .execute();
  const { rows } = await sql<SettingsRow>`
    select ${SETTINGS_COLUMNS} from forwarding_settings f where project_id = ${projectId} for update
  `.execute(tx.getKysely());
  return rows[0] ?? UNSAVED;
}

/**
 * Records that owners are mailed about undelivered records; false if they were mailed in the last
 * hours, or forwarding is off.
 */
export async function claimUndeliveredMail(
  tx: EntityManager,
  projectId: string,
  hours: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update forwarding_settings set undelivered_mailed_at = now()
    where project_id = ${projectId} and enabled
      and (undelivered_mailed_at is null or undelivered_mailed_at <= now() - make_interval(hours => ${hours}::int))
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0) > 0;
}

/** Whether the project's receiver is notified of erased records. */
export async function areErasuresForwarded(tx: EntityManager, projectId: string): Promise<boolean> {
  const forwarding = { projectId, enabled: true, forwardErasures: true };
  return (await tx.count(ForwardingSettingsEntity, forwarding)) > 0;
}

/** Manual actions that are counted per project and day. */
type DailyAction = 'resent' | 'tested';

const USAGE_COLUMNS = { resent: sql.ref('resent_on_day'), tested: sql.ref('tested_on_day') };
const TODAY = sql`(now() at time zone 'UTC')::date`;

const SENTENCES: Record<DailyAction, string> = {
  resent: 'Daily resend limit reached. Resend more tomorrow (UTC).',
  tested: 'Daily limit of endpoint tests reached. Test again tomorrow (UTC).',
};

/**
 * Counts up to `count` manual actions of a project towards its daily limit, in the caller's
 * transaction, and returns how many are allowed. Days are UTC by the database's clock. The limit
 * exists because the endpoint may be a third party's host (spec §2.2).
 *
 * @throws DomainError `too_many_requests` with the seconds until the next day, if the limit is
 * reached.
 */
export async function reserveDailyUsage(
  tx: EntityManager,
  projectId: string,
  { action, count, perDay }: { action: DailyAction; count: number; perDay: number },
): Promise<number> {
  await lockSettings(tx, projectId);
  const { used, secondsLeft } = await readDailyUsage(tx, projectId, action);
  if (used >= perDay) throw tooManyRequests(SENTENCES[action], secondsLeft * 1000);
  const taken = Math.min(count, perDay - used);
  await addDailyUsage(tx, projectId, { resent: 0, tested: 0, [action]: taken });
  return taken;
}

/** The number of actions today (UTC, by the database's clock), and the seconds until tomorrow. */
async function readDailyUsage(
  tx: EntityManager,
  projectId: string,
  action: DailyAction,
): Promise<{ used: number; secondsLeft: number }> {
  const { rows } = await sql<{ used: number; secondsLeft: number }>`
    select case when usage_day = ${TODAY} then ${USAGE_COLUMNS[action]} else 0 end as used,
           ceil(extract(epoch from date_trunc('day', now(), 'UTC') + interval '1 day' - now()))::int as "secondsLeft"
    from forwarding_settings where project_id = ${projectId}
  `.execute(tx.getKysely());
  return rows[0] ?? { used: 0, secondsLeft: 1 };
}

/** Adds to the counts of today. */
async function addDailyUsage(
  tx: EntityManager,
  projectId: string,
  added: Record<DailyAction, number>,
): Promise<void> {
  await sql`
    update forwarding_settings
    set resent_on_day = case when usage_day = ${TODAY} then resent_on_day else 0 end + ${added.resent},
        tested_on_day = case when usage_day = ${TODAY} then tested_on_day else 0 end + ${added.tested},
        usage_day = ${TODAY}
    where project_id = ${projectId}
  `.execute(tx.getKysely());
}

/**
 * Whether a record is forwarded (spec §6), or why not: `tier` or `off`. The tier must allow it, and
 * one of these must hold: forwarding is on with an endpoint; or the request has an endpoint, the
 * project has none, and its settings were never saved or allow that. The expression is constant, so
 * the ingest statement stays prepared. Each record looks up the settings by key: for an `exists`,
 * the planner may hash the settings of all projects.
 */
export function forwardingPredicate(legacyAllowed: boolean): ForwardingPredicate {
  return ({ projectId, tier, customEndpoint }) => {
    const settings = (condition: RawBuilder<boolean>): RawBuilder<boolean> =>
      sql`coalesce((select ${condition} from forwarding_settings f where f.project_id = ${projectId}), false)`;
    const own = settings(sql`f.enabled and f.endpoint_url is not null`);
    const refused = settings(
      sql`f.saved_at is not null and (f.endpoint_url is not null or not f.enabled or not f.allow_custom_endpoint)`,
    );
    const legacy = sql`(${customEndpoint} is not null and not ${refused})`;
    return sql`
      case when ${tier} not in (${sql.join(FORWARDING_TIERS.map((name) => sql.lit(name)))}) then 'tier'
           when ${legacyAllowed ? sql`${own} or ${legacy}` : own} then null else 'off' end`;
  };
}

/** The part of a project's settings that sending needs. */
export interface StoredTarget extends ForwardingTarget {
  authMode: AuthMode;
  /** null: no token is stored. */
  sealedToken: SealedSecret | null;
  /** The secrets that sign requests: the current one and, while it is valid, the former one. */
  sealedSigningSecrets: SealedSecret[];
  retryFailures: RetryFailures;
  /** Whether failed attempts keep the beginning of their response body. */
  keepResponseBodies: boolean;
}

interface TargetRow extends ForwardingTarget {
  projectId: string;
  authMode: AuthMode;
  tokenCiphertext: Buffer | null;
  tokenKeyId: string | null;
  signingCiphertext: Buffer | null;
  signingKeyId: string | null;
  formerSigningCiphertext: Buffer | null;
  formerSigningKeyId: string | null;
  retryFailures: boolean;
  retryHours: number;
  keepResponseBodies: boolean;
}

/** The newest settings of many projects, by project id; projects that never saved any are missing. */
export async function loadTargets(reads: Reads, projectIds: string[]): Promise<Map<string, StoredTarget>> {
  const rows = await reads.rows<TargetRow>(TARGETS, [projectIds]);
  return new Map(rows.map((row) => [row.projectId, targetOf(row)]));
}

const TARGETS = {
  name: 'forwarding-targets',
  text: `
    select project_id as "projectId", enabled, endpoint_url as "endpointUrl",
           allow_custom_endpoint as "allowCustomEndpoint", auth_mode as "authMode",
           token_ciphertext as "tokenCiphertext", token_key_id as "tokenKeyId",
           signing_ciphertext as "signingCiphertext", signing_key_id as "signingKeyId",
           case when former_signing_until > now() then former_signing_ciphertext end as "formerSigningCiphertext",
           former_signing_key_id as "formerSigningKeyId",
           retry_failures as "retryFailures", retry_hours as "retryHours",
           keep_response_bodies as "keepResponseBodies"
    from forwarding_settings
    where project_id = any($1::uuid[]) and saved_at is not null`,
};

function targetOf(row: TargetRow): StoredTarget {
  const { enabled, endpointUrl, allowCustomEndpoint, authMode, keepResponseBodies } = row;
  const signing = [
    sealed(row.signingCiphertext, row.signingKeyId),
    sealed(row.formerSigningCiphertext, row.formerSigningKeyId),
  ];
  return {
    enabled,
    endpointUrl,
    allowCustomEndpoint,
    authMode,
    sealedToken: sealed(row.tokenCiphertext, row.tokenKeyId),
    sealedSigningSecrets: signing.filter((secret) => secret !== null),
    retryFailures: { enabled: row.retryFailures, hours: row.retryHours },
    keepResponseBodies,
  };
}

function sealed(ciphertext: Buffer | null, keyId: string | null): SealedSecret | null {
  return ciphertext !== null && keyId !== null ? { ciphertext, keyId } : null;
}
