import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { NIL_UUID } from '../../platform/identity/ids.js';
import { type SealedSecret, SecretVault } from '../../platform/secrets/secret-vault.js';
import type { SecretSettings } from '../../platform/settings/secret-keys.settings.js';
import { bindingOf } from './infrastructure/endpoint-vault.js';

/** Rows of a statement. */
const BATCH_MAX = 500;
/** Secrets that the start tests each key with. */
const SAMPLE_MAX = 20;

/** A stored signing secret: the endpoint's current or former one. */
interface EndpointSecret extends SealedSecret {
  projectId: string;
  id: string;
  isFormer: boolean;
}

/** As a table, because the start, which reads it, has no entities yet. */
const SECRETS = sql`(
  select project_id, id, false as former, secret_ciphertext as ciphertext, secret_key_id as key_id from event_endpoint
  union all
  select project_id, id, true, former_secret_ciphertext, former_secret_key_id from event_endpoint
  where former_secret_key_id is not null
) s`;
const COLUMNS = sql`s.project_id as "projectId", s.id, s.former as "isFormer", s.ciphertext, s.key_id as "keyId"`;

/** The number of signing secrets of event endpoints that each key has encrypted. */
export async function countEndpointSecrets(em: EntityManager): Promise<{ keyId: string; secrets: number }[]> {
  const { rows } = await sql<{ keyId: string; secrets: number }>`
    select s.key_id as "keyId", count(*)::int as secrets from ${SECRETS} group by s.key_id order by s.key_id
  `.execute(em.getKysely());
  return rows;
}

/** Whether a key decrypts any of the secrets that have its id. */
export async function opensEndpointSecret(
  em: EntityManager,
  { secretKeys }: SecretSettings,
  keyId: string,
): Promise<boolean> {
  const { rows } = await sql<EndpointSecret>`
    select ${COLUMNS} from ${SECRETS} where s.key_id = ${keyId} limit ${SAMPLE_MAX}
  `.execute(em.getKysely());
  const vault = new SecretVault(secretKeys);
  return rows.some((row) => vault.open(bindingOf(row), row) !== null);
}

/**
 * Encrypts all signing secrets of event endpoints with the first key. A secret that its owner rotates at
 * the same time is kept. Returns the projects with secrets that no key decrypts. A dry run changes nothing.
 */
export async function reEncryptEndpointSecrets(
  em: EntityManager,
  { secretKeys }: SecretSettings,
  { dryRun }: { dryRun: boolean },
): Promise<{ done: number; unreadable: string[] }> {
  const vault = new SecretVault(secretKeys);
  const current = secretKeys[0]?.id ?? '';
  const unreadable: string[] = [];
  let done = 0;
  for (let after = { id: NIL_UUID, isFormer: true }; ;) {
    const { rows } = await sql<EndpointSecret>`
      select ${COLUMNS} from ${SECRETS} where s.key_id <> ${current} and (s.id, s.former) > (${after.id}::uuid, ${after.isFormer})
      order by s.id, s.former limit ${BATCH_MAX}
    `.execute(em.getKysely());
    for (const row of rows) {
      const secret = vault.open(bindingOf(row), row);
      if (secret === null) {
        unreadable.push(row.projectId);
        continue;
      }
      done += 1;
      if (!dryRun) await replace(em, row, vault.seal(bindingOf(row), secret));
    }
    const last = rows.at(-1);
    if (rows.length < BATCH_MAX || !last) return { done, unreadable };
    after = last;
  }
}

async function replace(em: EntityManager, stored: EndpointSecret, sealed: SealedSecret): Promise<void> {
  const [ciphertext, keyId] = stored.isFormer
    ? [sql.ref('former_secret_ciphertext'), sql.ref('former_secret_key_id')]
    : [sql.ref('secret_ciphertext'), sql.ref('secret_key_id')];
  await sql`
    update event_endpoint set ${ciphertext} = ${sealed.ciphertext}, ${keyId} = ${sealed.keyId}
    where project_id = ${stored.projectId} and id = ${stored.id} and ${ciphertext} = ${stored.ciphertext}
  `.execute(em.getKysely());
}
