import type { ApiKeyResponse } from '../../client/types.gen';

/** Whether a key still opens anything, and why it does not. */
export function keyState(
  { revokedAt, expiresAt }: Pick<ApiKeyResponse, 'revokedAt' | 'expiresAt'>,
  now: Date,
): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'active';
}
