import type { EntityManager } from '@mikro-orm/postgresql';
import {
  countEndpointSecrets,
  opensEndpointSecret,
  reEncryptEndpointSecrets,
} from '../../events/endpoint-secrets.js';
import { countImportKeys, opensImportKey, reEncryptImportKeys } from '../../imports/import-keys.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { SecretSettings } from '../../../platform/settings/secret-keys.settings.js';
import {
  countSecretsByKey,
  readToken,
  replaceSecret,
  SECRET_COLUMNS,
  type SecretColumns,
  secretsWithKey,
  secretsWithOtherKeys,
  TokenVault,
} from '../infrastructure/secret.rows.js';

/** Rows per statement. */
const BATCH_MAX = 500;
/** Secrets that the start tests each key with. A single one may just have been changed. */
const SAMPLE_MAX = 20;
const LOWEST_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * The bearer token of a project's deliveries; null if they have none. For the demo receiver, which
 * requires it.
 */
export async function expectedToken(
  em: EntityManager,
  vault: TokenVault,
  projectId: string,
): Promise<string | null> {
  const sealed = await readToken(em.fork(), projectId);
  return sealed ? vault.open(projectId, sealed) : null;
}

/**
 * Encrypts every stored token and signing secret with the first key. Safe beside a running service:
 * a secret saved by its owner in the same moment is kept. Secrets that no key decrypts are left
 * unchanged, and their projects are returned. A dry run changes nothing.
 */
export async function reEncryptSecrets(
  em: EntityManager,
  settings: SecretSettings,
  { dryRun }: { dryRun: boolean },
): Promise<{ done: number; unreadable: string[] }> {
  const unreadable = new Set<string>();
  let done = 0;
  // Audit before the first of many small transactions: a crash may follow any of them.
  const after = { keyId: settings.secretKeys[0]?.id };
  const author = { kind: 'operator', id: null } as const;
  if (!dryRun)
    await em.fork().transactional((tx) => writeAudit(tx, author, { action: 'secrets.re_encrypt', after }));
  for (const columns of SECRET_COLUMNS) {
    const ended = await reEncryptColumn(em, settings, { columns, dryRun });
    done += ended.done;
    for (const projectId of ended.unreadable) unreadable.add(projectId);
  }
  const endpoints = await reEncryptEndpointSecrets(em.fork(), settings, { dryRun });
  for (const projectId of endpoints.unreadable) unreadable.add(projectId);
  const imports = await reEncryptImportKeys(em.fork(), settings, { dryRun });
  for (const projectId of imports.unreadable) unreadable.add(projectId);
  return { done: done + endpoints.done + imports.done, unreadable: [...unreadable] };
}

async function reEncryptColumn(
  em: EntityManager,
  settings: SecretSettings,
  { columns, dryRun }: { columns: SecretColumns; dryRun: boolean },
): Promise<{ done: number; unreadable: string[] }> {
  const vault = new TokenVault(settings);
  const id = settings.secretKeys[0]?.id ?? '';
  const fork = em.fork();
  const unreadable: string[] = [];
  let done = 0;
  let afterProjectId = LOWEST_UUID;
  for (;;) {
    const rows = await secretsWithOtherKeys(fork, columns, { id, afterProjectId, limit: BATCH_MAX });
    for (const stored of rows) {
      const secret = vault.open(stored.projectId, stored, columns.purpose);
      if (secret === null) {
        unreadable.push(stored.projectId);
        continue;
      }
      done += 1;
      if (dryRun) continue;
      const sealed = vault.seal(stored.projectId, secret, columns.purpose);
      await replaceSecret(fork, columns, { stored, sealed });
    }
    afterProjectId = rows.at(-1)?.projectId ?? afterProjectId;
    if (rows.length < BATCH_MAX) return { done, unreadable };
  }
}

/** Names the keys that SECRET_KEYS lacks, as an error that stops the start; null if none is missing. */
export async function missingKeysSentence(
  em: EntityManager,
  settings: SecretSettings,
): Promise<string | null> {
  const known = new Set(settings.secretKeys.map(({ id }) => id));
  const counts = await countAllSecrets(em);
  const missing = counts.filter(({ keyId }) => !known.has(keyId));
  if (missing.length > 0)
    return (
      `SECRET_KEYS is missing keys that stored secrets are encrypted with: ${named(missing)}. Add them after ` +
      'the first one, and run "npm run ops -- secrets re-encrypt" before you remove them.'
    );
  const wrong: typeof counts = [];
  for (const count of counts) if (!(await opensAny(em, settings, count.keyId))) wrong.push(count);
  if (wrong.length === 0) return null;
  return (
    `SECRET_KEYS has different keys under the ids that stored secrets are encrypted with: ${named(wrong)}. Put the ` +
    'right ones back; if they are lost, see docs/run.md.'
  );
}

/** The number of stored secrets that each key has encrypted: tokens, signing secrets of receivers and events, keys of import files. */
export async function countAllSecrets(em: EntityManager): Promise<{ keyId: string; secrets: number }[]> {
  const counts = new Map<string, number>();
  for (const { keyId, secrets } of [
    ...(await countSecretsByKey(em.fork())),
    ...(await countEndpointSecrets(em.fork())),
    ...(await countImportKeys(em.fork())),
  ])
    counts.set(keyId, (counts.get(keyId) ?? 0) + secrets);
  return [...counts].map(([keyId, secrets]) => ({ keyId, secrets }));
}

/** Two keys may have the same id by mistake, so test the key on a stored secret. */
async function opensAny(em: EntityManager, settings: SecretSettings, keyId: string): Promise<boolean> {
  const vault = new TokenVault(settings);
  for (const columns of SECRET_COLUMNS) {
    const rows = await secretsWithKey(em.fork(), columns, { id: keyId, limit: SAMPLE_MAX });
    if (rows.some((stored) => vault.open(stored.projectId, stored, columns.purpose) !== null)) return true;
  }
  if (await opensEndpointSecret(em.fork(), settings, keyId)) return true;
  return opensImportKey(em.fork(), settings, keyId);
}

function named(counts: { keyId: string; secrets: number }[]): string {
  return counts.map(({ keyId, secrets }) => `${keyId} (${secrets} stored)`).join(', ');
}
