import type { EntityManager } from '@mikro-orm/postgresql';
import { projectNotFound } from '../../projects/project.service.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { type Actor, requireUser } from '../domain/actor.js';
import { findSecret } from '../domain/api-key.js';
import { ApiKey } from '../infrastructure/api-key.entity.js';
import { findStanding } from '../infrastructure/membership.rows.js';

/**
 * Checks again whether the actor may manage members and keys, while the caller's transaction holds
 * the project's row lock: since the guard's check, they may have been removed, or their key
 * rotated. Returns the user behind the actor, null if the secret's creator is unknown, and when the
 * secret expires, null for never.
 * @throws DomainError `project_not_found`, `role_required`, `authentication_required`.
 */
export async function requireManager(
  tx: EntityManager,
  actor: Actor,
  projectId: string,
): Promise<{ userId: string | null; endsAt: Date | null }> {
  if (actor.kind === 'api_key') {
    const key = await tx.findOne(ApiKey, { id: actor.apiKeyId, projectId, revokedAt: null });
    const secret = key && findSecret(key, actor.keyHash, new Date());
    if (!secret) throw new DomainError('authentication_required', 'The API key is revoked or has expired.');
    return { userId: secret.madeBy, endsAt: secret.endsAt };
  }
  if (actor.kind === 'personal_token') requireUser(actor);
  const standing = await findStanding(tx, { projectId, userId: actor.userId });
  if (!standing) throw projectNotFound();
  if (standing.role !== 'owner') {
    const currentRole = standing.role ?? 'billing';
    throw new DomainError('role_required', `Requires the role owner. Your role is ${currentRole}.`, {
      members: { requiredRole: 'owner', currentRole },
    });
  }
  return { userId: actor.userId, endsAt: null };
}
