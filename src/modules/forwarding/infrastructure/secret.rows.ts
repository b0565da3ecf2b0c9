import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type SealedSecret, SecretVault } from '../../../platform/secrets/secret-vault.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../../platform/settings/secret-keys.settings.js';
import { ForwardingSettingsEntity } from './forwarding.entities.js';
import { forwardingTables } from './forwarding.tables.js';

/** Cached decrypted secrets, least recently used evicted; some 300 bytes each. */
const OPEN_SECRETS_MAX = 5_000;
/** How long a decrypted secret is cached; a replaced one is no longer looked up. */
const OPEN_SECRET_MS = 5 * 60_000;

/**
 * The purpose of a secret, part of the authenticated data, so that one kind does not decrypt as the other.
 */
type SecretPurpose = 'bearer_token' | 'signing_secret';

/**
 * Encrypts bearer tokens and signing secrets at rest (spec §5.2). The project's id is authenticated
 * data, so that a row copied to another project does not decrypt.
 */
@Injectable()
export class TokenVault {
  private readonly vault: SecretVault;
  /**
   * Decrypted secrets by ciphertext: each record of a busy project would decrypt the same secret
   * again (4 % of a worker's time). A replaced or re-encrypted secret has another ciphertext, so
   * the cache is never outdated.
   */
  private readonly opened = new LRUCache<string, string>({ max: OPEN_SECRETS_MAX, ttl: OPEN_SECRET_MS });

  constructor(@InjectSettings(secretSettings) { secretKeys }: SecretSettings) {
    this.vault = new SecretVault(secretKeys);
  }

  seal(projectId: string, secret: string, purpose: SecretPurpose = 'bearer_token'): SealedSecret {
    return this.vault.seal(boundTo(projectId, purpose), secret);
  }

  /**
   * The secret; null if its key is missing or the row was tampered with, in which case the owner
   * must enter it again.
   */
  open(projectId: string, sealed: SealedSecret, purpose: SecretPurpose = 'bearer_token'): string | null {
    const binding = boundTo(projectId, purpose);
    const name = `${binding} ${sealed.keyId} ${sealed.ciphertext.toString('latin1')}`;
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const secret = this.vault.open(binding, sealed);
    if (secret !== null) this.opened.set(name, secret);
    return secret;
  }
}

/** A token is bound only to its project, as before other secrets existed. */
function boundTo(projectId: string, purpose: SecretPurpose): string {
  return purpose === 'bearer_token' ? projectId : `${projectId}/${purpose}`;
}

/** The columns of stored secrets, and their purposes. */
export const SECRET_COLUMNS = [
  { ciphertext: 'tokenCiphertext', keyId: 'tokenKeyId', purpose: 'bearer_token' },
  { ciphertext: 'signingCiphertext', keyId: 'signingKeyId', purpose: 'signing_secret' },
  { ciphertext: 'formerSigningCiphertext', keyId: 'formerSigningKeyId', purpose: 'signing_secret' },
] as const;
export type SecretColumns = (typeof SECRET_COLUMNS)[number];

/** A stored secret of a project. */
export interface SecretRow extends SealedSecret {
  projectId: string;
}

/** The project's bearer token; null if its receiver expects none. */
export async function readToken(em: EntityManager, projectId: string): Promise<SealedSecret | null> {
  const token = await forwardingTables(em)
    .selectFrom('forwarding_settings')
    .select(['tokenCiphertext as ciphertext', 'tokenKeyId as keyId'])
    .where('projectId', '=', projectId)
    .where('authMode', '=', 'bearer')
    .where('tokenKeyId', 'is not', null)
    .executeTakeFirst();
  return (token as SealedSecret | undefined) ?? null;
}

/** The number of bearer tokens and signing secrets that each key has encrypted, by the key's id. */
export async function countSecretsByKey(em: EntityManager): Promise<{ keyId: string; secrets: number }[]> {
  const { rows } = await sql<{ keyId: string; secrets: number }>`
    select key_id as "keyId", count(*)::int as secrets
    from forwarding_settings
    cross join lateral (values (token_key_id), (signing_key_id), (former_signing_key_id)) as used (key_id)
    where key_id is not null group by key_id order by key_id
  `.execute(em.getKysely());
  return rows;
}

/** Secrets that a key has encrypted, at most `limit`. */
export async function secretsWithKey(
  em: EntityManager,
  { ciphertext, keyId }: SecretColumns,
  { id, limit }: { id: string; limit: number },
): Promise<SecretRow[]> {
  // As SQL: at the start, which calls this, the entities are not discovered yet.
  const [sealed, key] = [sql.ref(columnOf(ciphertext)), sql.ref(columnOf(keyId))];
  const { rows } = await sql<SecretRow>`
    select project_id as "projectId", ${sealed} as ciphertext, ${key} as "keyId"
    from forwarding_settings where ${key} = ${id} limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

const columnOf = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Secrets that other keys have encrypted, at most `limit`, of the projects after one, by project id. */
export async function secretsWithOtherKeys(
  em: EntityManager,
  columns: SecretColumns,
  { id, afterProjectId, limit }: { id: string; afterProjectId: string; limit: number },
): Promise<SecretRow[]> {
  const rows = await secrets(em, columns)
    .where('projectId', '>', afterProjectId)
    .where(columns.keyId, '<>', id)
    .orderBy('projectId')
    .limit(limit)
    .execute();
  return rows as SecretRow[];
}

function secrets(em: EntityManager, { ciphertext, keyId }: SecretColumns) {
  return forwardingTables(em)
    .selectFrom('forwarding_settings')
    .select(['projectId', `${ciphertext} as ciphertext`, `${keyId} as keyId`]);
}

/** Replaces a stored secret, unless it has changed since it was read. */
export async function replaceSecret(
  em: EntityManager,
  { ciphertext, keyId }: SecretColumns,
  { stored, sealed }: { stored: SecretRow; sealed: SealedSecret },
): Promise<void> {
  await forwardingTables(em)
    .updateTable('forwarding_settings')
    .set(ciphertext, sealed.ciphertext)
    .set(keyId, sealed.keyId)
    .where('projectId', '=', stored.projectId)
    .where(ciphertext, '=', stored.ciphertext)
    .execute();
}

/** Stores a new signing secret; the one before stays valid until `until`. Returns whether there was one. */
export async function rotateSigningSecret(
  tx: EntityManager,
  projectId: string,
  { sealed, now, until }: { sealed: SealedSecret; now: Date; until: Date },
): Promise<boolean> {
  const { rows } = await sql<{ replaced: boolean }>`
    update forwarding_settings
    set former_signing_ciphertext = signing_ciphertext, former_signing_key_id = signing_key_id,
        former_signing_until = case when signing_ciphertext is not null then ${until}::timestamptz end,
        signing_ciphertext = ${sealed.ciphertext}, signing_key_id = ${sealed.keyId},
        signing_created_at = ${now}::timestamptz
    where project_id = ${projectId}
    returning former_signing_ciphertext is not null as replaced
  `.execute(tx.getKysely());
  return rows[0]?.replaced ?? false;
}

const NO_FORMER_SECRET = {
  formerSigningCiphertext: null,
  formerSigningKeyId: null,
  formerSigningUntil: null,
};

/** Deletes the signing secret before the current one. Returns whether there was one. */
export async function deleteFormerSigningSecret(tx: EntityManager, projectId: string): Promise<boolean> {
  const stored = { projectId, formerSigningCiphertext: { $ne: null } };
  return (await tx.nativeUpdate(ForwardingSettingsEntity, stored, NO_FORMER_SECRET)) > 0;
}

/** Deletes both signing secrets. Returns whether there was one. */
export async function deleteSigningSecrets(tx: EntityManager, projectId: string): Promise<boolean> {
  const stored = { projectId, signingCiphertext: { $ne: null } };
  const none = { signingCiphertext: null, signingKeyId: null, signingCreatedAt: null, ...NO_FORMER_SECRET };
  return (await tx.nativeUpdate(ForwardingSettingsEntity, stored, none)) > 0;
}
