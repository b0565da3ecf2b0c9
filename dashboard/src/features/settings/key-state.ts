import type { ApiKeyDto } from '../../client/types.gen';

/** Whether a key still opens anything, and why it does not. */
export function keyState(
  { revokedAt, expiresAt }: Pick<ApiKeyDto, 'revokedAt' | 'expiresAt'>,
  now: Date,
): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now ? 'expired' : 'active';
}
