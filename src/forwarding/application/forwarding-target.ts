import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ForwardingTarget } from '../domain/destination.js';
import type { AuthMode } from '../domain/settings-change.js';
import type { SealedToken } from '../infrastructure/token-vault.js';

/** What sending needs of a project's settings. */
export interface StoredTarget extends ForwardingTarget {
  authMode: AuthMode;
  /** null: no token is stored. */
  sealedToken: SealedToken | null;
}

interface TargetRow extends ForwardingTarget {
  projectId: string;
  authMode: AuthMode;
  tokenCiphertext: Buffer | null;
  tokenKeyId: string | null;
}

/** The newest settings of many projects, by project id; projects that never saved any are missing. */
export async function loadTargets(
  em: EntityManager,
  projectIds: string[],
): Promise<Map<string, StoredTarget>> {
  const { rows } = await sql<TargetRow>`
    select project_id as "projectId", enabled, endpoint_url as "endpointUrl",
           allow_custom_endpoint as "allowCustomEndpoint", auth_mode as "authMode", token_ciphertext as "tokenCiphertext", token_key_id as "tokenKeyId"
    from forwarding_settings
    where project_id = any(${projectIds}::uuid[]) and saved_at is not null
  `.execute(em.fork().getKysely());
  return new Map(
    rows.map(({ projectId, tokenCiphertext, tokenKeyId, ...target }) => {
      const sealedToken =
        tokenCiphertext !== null && tokenKeyId !== null
          ? { ciphertext: tokenCiphertext, keyId: tokenKeyId }
          : null;
      return [projectId, { ...target, sealedToken }];
    }),
  );
}
