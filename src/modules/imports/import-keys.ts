import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { NIL_UUID } from '../../platform/identity/ids.js';
import { type SealedSecret, SecretVault } from '../../platform/secrets/secret-vault.js';
import type { SecretSettings } from '../../platform/settings/secret-keys.settings.js';
import { keyBinding } from './infrastructure/import-storage.js';

/** Rows of a statement. */
const BATCH_MAX = 500;
/** Keys that the start tests each key of SECRET_KEYS with. */
const SAMPLE_MAX = 20;

interface StoredKey extends SealedSecret {
  projectId: string;
  id: string;
}

const COLUMNS = sql`project_id as "projectId", id, key_ciphertext as ciphertext, key_id as "keyId"`;

/** The number of keys of import files that each key has encrypted. */
export async function countImportKeys(em: EntityManager): Promise<{ keyId: string; secrets: number }[]> {
  const { rows } = await sql<{ keyId: string; secrets: number }>`
    select key_id as "keyId", count(*)::int as secrets from consent_import
    where key_id is not null group by key_id order by key_id
  `.execute(em.getKysely());
  return rows;
}

/** Whether a key decrypts any of the keys that have its id. */
export async function opensImportKey(
  em: EntityManager,
  { secretKeys }: SecretSettings,
  keyId: string,
): Promise<boolean> {
  const { rows } = await sql<StoredKey>`
    select ${COLUMNS} from consent_import where key_id = ${keyId} limit ${SAMPLE_MAX}
  `.execute(em.getKysely());
  const vault = new SecretVault(secretKeys);
  return rows.some((row) => vault.open(keyBinding(row), row) !== null);
}

/** Encrypts all keys of import files with the first key. Returns the projects with keys that none decrypts. */
export async function reEncryptImportKeys(
  em: EntityManager,
  { secretKeys }: SecretSettings,
  { dryRun }: { dryRun: boolean },
): Promise<{ done: number; unreadable: string[] }> {
  const vault = new SecretVault(secretKeys);
  const current = secretKeys[0]?.id ?? '';
  const unreadable: string[] = [];
  let done = 0;
  for (let afterId = NIL_UUID; ;) {
    const { rows } = await sql<StoredKey>`
      select ${COLUMNS} from consent_import where key_id <> ${current} and id > ${afterId}::uuid
      order by id limit ${BATCH_MAX}
    `.execute(em.getKysely());
    for (const row of rows) {
      const key = vault.open(keyBinding(row), row);
      if (key === null) {
        unreadable.push(row.projectId);
        continue;
      }
      done += 1;
      const sealed = vault.seal(keyBinding(row), key);
      if (!dryRun)
        await sql`
          update consent_import set key_ciphertext = ${sealed.ciphertext}, key_id = ${sealed.keyId}
          where project_id = ${row.projectId} and id = ${row.id} and key_ciphertext = ${row.ciphertext}
        `.execute(em.getKysely());
    }
    afterId = rows.at(-1)?.id ?? afterId;
    if (rows.length < BATCH_MAX) return { done, unreadable };
  }
}
