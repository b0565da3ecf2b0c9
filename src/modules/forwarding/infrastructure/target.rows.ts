import type { Reads } from '../../../platform/database/prepared-reads.js';
import type { ForwardingTarget } from '../domain/endpoint-policy.js';
import type { RetryFailures } from '../domain/retry.js';
import type { AuthMode } from '../domain/settings-change.js';
import type { SealedSecret } from '../../../platform/secrets/secret-vault.js';

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
