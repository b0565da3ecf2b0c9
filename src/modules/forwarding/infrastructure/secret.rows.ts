import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { type SealedSecret, SecretVault } from '../../../platform/secrets/secret-vault.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../../platform/settings/secret-keys.settings.js';

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
  { ciphertext: 'token_ciphertext', keyId: 'token_key_id', purpose: 'bearer_token' },
  { ciphertext: 'signing_ciphertext', keyId: 'signing_key_id', purpose: 'signing_secret' },
  { ciphertext: 'former_signing_ciphertext', keyId: 'former_signing_key_id', purpose: 'signing_secret' },
] as const;
export type SecretColumns = (typeof SECRET_COLUMNS)[number];

/** A stored secret of a project. */
export interface SecretRow extends SealedSecret {
  projectId: string;
}

/** The project's bearer token; null if its receiver expects none. */
export async function readToken(em: EntityManager, projectId: string): Promise<SealedSecret | null> {
  const { rows } = await sql<SealedSecret>`
    select token_ciphertext as ciphertext, token_key_id as "keyId" from forwarding_settings
    where project_id = ${projectId} and auth_mode = 'bearer' and token_key_id is not null
  `.execute(em.getKysely());
  return rows[0] ?? null;
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
  const { rows } = await sql<SecretRow>`
    select project_id as "projectId", ${sql.ref(ciphertext)} as ciphertext, ${sql.ref(keyId)} as "keyId"
    from forwarding_settings where ${sql.ref(keyId)} = ${id} limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Secrets that other keys have encrypted, at most `limit`, of the projects after one, by project id. */
export async function secretsWithOtherKeys(
  em: EntityManager,
  { ciphertext, keyId }: SecretColumns,
  { id, afterProjectId, limit }: { id: string; afterProjectId: string; limit: number },
): Promise<SecretRow[]> {
  const { rows } = await sql<SecretRow>`
    select project_id as "projectId", ${sql.ref(ciphertext)} as ciphertext, ${sql.ref(keyId)} as "keyId"
    from forwarding_settings
    where project_id > ${afterProjectId}::uuid and ${sql.ref(keyId)} is not null and ${sql.ref(keyId)} <> ${id}
    order by project_id limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Replaces a stored secret, unless it has changed since it was read. */
export async function replaceSecret(
  em: EntityManager,
  columns: SecretColumns,
  { stored, sealed }: { stored: SecretRow; sealed: SealedSecret },
): Promise<void> {
  const [ciphertext, keyId] = [sql.ref(columns.ciphertext), sql.ref(columns.keyId)];
  await sql`
    update forwarding_settings set ${ciphertext} = ${sealed.ciphertext}, ${keyId} = ${sealed.keyId}
    where project_id = ${stored.projectId} and ${ciphertext} = ${stored.ciphertext}
  `.execute(em.getKysely());
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

/** Deletes the signing secret before the current one. Returns whether there was one. */
export async function deleteFormerSigningSecret(tx: EntityManager, projectId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update forwarding_settings
    set former_signing_ciphertext = null, former_signing_key_id = null, former_signing_until = null
    where project_id = ${projectId} and former_signing_ciphertext is not null
  `.execute(tx.getKysely());
  return Number(numAffectedRows) > 0;
}

/** Deletes both signing secrets. Returns whether there was one. */
export async function deleteSigningSecrets(tx: EntityManager, projectId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update forwarding_settings
    set signing_ciphertext = null, signing_key_id = null, signing_created_at = null,
        former_signing_ciphertext = null, former_signing_key_id = null, former_signing_until = null
    where project_id = ${projectId} and signing_ciphertext is not null
  `.execute(tx.getKysely());
  return Number(numAffectedRows) > 0;
}
