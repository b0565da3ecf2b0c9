import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import type { SecretSettings } from '../../settings/secret-keys.settings.js';
import { TokenVault } from '../infrastructure/token-vault.js';

/** Rows of one statement. */
const BATCH_MAX = 500;
/** Secrets that the start tests a key with; one that was just changed does not mean a wrong key. */
const SAMPLE_MAX = 20;

/** The token that a project's deliveries carry; null if they carry none. For the demo receiver, which requires it. */
export async function expectedToken(
  em: EntityManager,
  vault: TokenVault,
  projectId: string,
): Promise<string | null> {
  const { rows } = await sql<{ ciphertext: Buffer; keyId: string }>`
    select token_ciphertext as ciphertext, token_key_id as "keyId" from forwarding_settings
    where project_id = ${projectId} and auth_mode = 'bearer' and token_key_id is not null
  `.execute(em.fork().getKysely());
  const sealed = rows[0];
  return sealed ? vault.open(projectId, sealed) : null;
}

/** Where secrets stand, and what each is for. */
const PLACES = [
  { ciphertext: 'token_ciphertext', keyId: 'token_key_id', purpose: 'bearer_token' },
  { ciphertext: 'signing_ciphertext', keyId: 'signing_key_id', purpose: 'signing_secret' },
  { ciphertext: 'former_signing_ciphertext', keyId: 'former_signing_key_id', purpose: 'signing_secret' },
] as const;

/** How many bearer tokens and signing secrets each key has encrypted, by the key's id. */
export async function countSecretsByKey(em: EntityManager): Promise<{ keyId: string; secrets: number }[]> {
  const { rows } = await sql<{ keyId: string; secrets: number }>`
    select key_id as "keyId", count(*)::int as secrets
    from forwarding_settings
    cross join lateral (values (token_key_id), (signing_key_id), (former_signing_key_id)) as used (key_id)
    where key_id is not null group by key_id order by key_id
  `.execute(em.fork().getKysely());
  return rows;
}

/**
 * Encrypts every stored token and signing secret that another key has made with the first one. Safe beside a running
 * service: one that its owner changes meanwhile stays as she saved it. Those that no key opens are left alone, and
 * their projects returned; with `dryRun` all are.
 */
export async function reEncryptSecrets(
  em: EntityManager,
  settings: SecretSettings,
  { dryRun }: { dryRun: boolean },
): Promise<{ done: number; unreadable: string[] }> {
  const unreadable = new Set<string>();
  let done = 0;
  // Before the first of many small transactions: whichever of them is the last one, this was done.
  const after = { keyId: settings.secretKeys[0]?.id };
  const author = { kind: 'operator', id: null } as const;
  if (!dryRun)
    await em.fork().transactional((tx) => writeAudit(tx, author, { action: 'secrets.re_encrypt', after }));
  for (const place of PLACES) {
    const ended = await reEncryptPlace(em, settings, { place, dryRun });
    done += ended.done;
    for (const projectId of ended.unreadable) unreadable.add(projectId);
  }
  return { done, unreadable: [...unreadable] };
}

async function reEncryptPlace(
  em: EntityManager,
  settings: SecretSettings,
  { place, dryRun }: { place: (typeof PLACES)[number]; dryRun: boolean },
): Promise<{ done: number; unreadable: string[] }> {
  const vault = new TokenVault(settings);
  const currentId = settings.secretKeys[0]?.id ?? '';
  const database = em.fork().getKysely();
  const [ciphertextColumn, keyColumn] = [sql.ref(place.ciphertext), sql.ref(place.keyId)];
  const unreadable: string[] = [];
  let done = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await sql<{ projectId: string; ciphertext: Buffer; keyId: string }>`
      select project_id as "projectId", ${ciphertextColumn} as ciphertext, ${keyColumn} as "keyId"
      from forwarding_settings
      where project_id > ${after}::uuid and ${keyColumn} is not null and ${keyColumn} <> ${currentId}
      order by project_id limit ${BATCH_MAX}
    `.execute(database);
    for (const { projectId, ciphertext, keyId } of rows) {
      const secret = vault.open(projectId, { ciphertext, keyId }, place.purpose);
      if (secret === null) {
        unreadable.push(projectId);
        continue;
      }
      done += 1;
      if (dryRun) continue;
      const sealed = vault.seal(projectId, secret, place.purpose);
      await sql`
        update forwarding_settings set ${ciphertextColumn} = ${sealed.ciphertext}, ${keyColumn} = ${sealed.keyId}
        where project_id = ${projectId} and ${ciphertextColumn} = ${ciphertext}
      `.execute(database);
    }
    after = rows.at(-1)?.projectId ?? after;
    if (rows.length < BATCH_MAX) return { done, unreadable };
  }
}

/** What SECRET_KEYS lacks to open the stored secrets, as the end of a start; null where nothing is missing. */
export async function missingKeysSentence(
  em: EntityManager,
  settings: SecretSettings,
): Promise<string | null> {
  const known = new Set(settings.secretKeys.map(({ id }) => id));
  const counts = await countSecretsByKey(em);
  const missing = counts.filter(({ keyId }) => !known.has(keyId));
  if (missing.length > 0) {
    return (
      `SECRET_KEYS is missing keys that stored secrets are encrypted with: ${named(missing)}. Add them after ` +
      'the first one, and run "npm run ops -- secrets re-encrypt" before you remove them.'
    );
  }
  const wrong: typeof counts = [];
  for (const count of counts) if (!(await opensAny(em, settings, count.keyId))) wrong.push(count);
  if (wrong.length === 0) return null;
  return (
    `SECRET_KEYS has different keys under the ids that stored secrets are encrypted with: ${named(wrong)}. Put the ` +
    'right ones back; if they are lost, see docs/operations.md.'
  );
}

/** Scripts may create different keys with the same id, so test the key on a stored secret. */
async function opensAny(em: EntityManager, settings: SecretSettings, keyId: string): Promise<boolean> {
  const vault = new TokenVault(settings);
  for (const place of PLACES) {
    const { rows } = await sql<{ projectId: string; ciphertext: Buffer }>`
      select project_id as "projectId", ${sql.ref(place.ciphertext)} as ciphertext from forwarding_settings
      where ${sql.ref(place.keyId)} = ${keyId} limit ${SAMPLE_MAX}
    `.execute(em.fork().getKysely());
    const opens = rows.some(
      ({ projectId, ciphertext }) => vault.open(projectId, { ciphertext, keyId }, place.purpose) !== null,
    );
    if (opens) return true;
  }
  return false;
}

function named(counts: { keyId: string; secrets: number }[]): string {
  return counts.map(({ keyId, secrets }) => `${keyId} (${secrets} stored)`).join(', ');
}
