import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { SettingsOf } from '../../shared/declare-settings.js';
import type { forwardingSettings } from '../forwarding.settings.js';
import { TokenVault } from '../infrastructure/token-vault.js';

/** The keys that encrypt the tokens at rest. */
type KeySettings = Pick<SettingsOf<typeof forwardingSettings>, 'secretKeys'>;

/** Tokens of one statement. */
const BATCH_MAX = 500;
/** Tokens that a start tries a key on: one row that somebody has changed is no wrong key. */
const SAMPLE_MAX = 20;

/**
 * The token that a project's receiver has to expect; null where the project sends none. For the demo's receiver,
 * which knows it as an owner's own would.
 */
export async function expectedToken(
  em: EntityManager,
  settings: KeySettings,
  projectId: string,
): Promise<string | null> {
  const { rows } = await sql<{ ciphertext: Buffer; keyId: string }>`
    select token_ciphertext as ciphertext, token_key_id as "keyId" from forwarding_settings
    where project_id = ${projectId} and auth_mode = 'bearer' and token_key_id is not null
  `.execute(em.fork().getKysely());
  const sealed = rows[0];
  return sealed ? new TokenVault(settings).open(projectId, sealed) : null;
}

/** How many bearer tokens each key has encrypted, by the key's id. */
export async function countTokensByKey(em: EntityManager): Promise<{ keyId: string; tokens: number }[]> {
  const { rows } = await sql<{ keyId: string; tokens: number }>`
    select token_key_id as "keyId", count(*)::int as tokens from forwarding_settings
    where token_key_id is not null group by token_key_id order by token_key_id
  `.execute(em.fork().getKysely());
  return rows;
}

/**
 * Encrypts every stored token that another key has made with the first one. Safe beside a running service: a
 * token that its owner changes meanwhile stays as she saved it. Tokens that no key opens are left alone, and
 * their projects returned; with `dryRun` all are.
 */
export async function reEncryptTokens(
  em: EntityManager,
  settings: KeySettings,
  { dryRun }: { dryRun: boolean },
): Promise<{ done: number; unreadable: string[] }> {
  const vault = new TokenVault(settings);
  const currentId = settings.secretKeys[0]?.id ?? '';
  const database = em.fork().getKysely();
  const unreadable: string[] = [];
  let done = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await sql<{ projectId: string; ciphertext: Buffer; keyId: string }>`
      select project_id as "projectId", token_ciphertext as ciphertext, token_key_id as "keyId"
      from forwarding_settings
      where project_id > ${after}::uuid and token_key_id is not null and token_key_id <> ${currentId}
      order by project_id limit ${BATCH_MAX}
    `.execute(database);
    for (const { projectId, ciphertext, keyId } of rows) {
      const token = vault.open(projectId, { ciphertext, keyId });
      if (token === null) {
        unreadable.push(projectId);
        continue;
      }
      done += 1;
      if (dryRun) continue;
      const sealed = vault.seal(projectId, token);
      await sql`
        update forwarding_settings set token_ciphertext = ${sealed.ciphertext}, token_key_id = ${sealed.keyId}
        where project_id = ${projectId} and token_ciphertext = ${ciphertext}
      `.execute(database);
    }
    after = rows.at(-1)?.projectId ?? after;
    if (rows.length < BATCH_MAX) return { done, unreadable };
  }
}

/** What SECRET_KEYS lacks to open the stored tokens, as the end of a start; null where nothing is missing. */
export async function missingKeysSentence(em: EntityManager, settings: KeySettings): Promise<string | null> {
  const known = new Set(settings.secretKeys.map(({ id }) => id));
  const counts = await countTokensByKey(em);
  const missing = counts.filter(({ keyId }) => !known.has(keyId));
  if (missing.length > 0) {
    return (
      `SECRET_KEYS lacks keys that stored bearer tokens are encrypted with: ${named(missing)}. Put them back behind ` +
      'the first one, then run "npm run ops -- secrets re-encrypt" before taking them out.'
    );
  }
  const wrong: typeof counts = [];
  for (const count of counts) if (!(await opensAny(em, settings, count.keyId))) wrong.push(count);
  if (wrong.length === 0) return null;
  return (
    `SECRET_KEYS has other keys under the ids that stored bearer tokens are encrypted with: ${named(wrong)}. Put the ` +
    'right ones back; where they are lost for good, see docs/operations.md.'
  );
}

/** Keys made by the same script have the same id: whether this one is that one, only a token tells. */
async function opensAny(em: EntityManager, settings: KeySettings, keyId: string): Promise<boolean> {
  const { rows } = await sql<{ projectId: string; ciphertext: Buffer }>`
    select project_id as "projectId", token_ciphertext as ciphertext from forwarding_settings
    where token_key_id = ${keyId} limit ${SAMPLE_MAX}
  `.execute(em.fork().getKysely());
  const vault = new TokenVault(settings);
  return rows.some(({ projectId, ciphertext }) => vault.open(projectId, { ciphertext, keyId }) !== null);
}

function named(counts: { keyId: string; tokens: number }[]): string {
  return counts.map(({ keyId, tokens }) => `${keyId} (${tokens} tokens)`).join(', ');
}
