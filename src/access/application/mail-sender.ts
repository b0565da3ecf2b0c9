import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../domain/actor.js';
import { findSecret } from '../domain/api-key.js';
import { ApiKey } from '../infrastructure/api-key.entity.js';

/**
 * The person whose budget of mails a request uses: the user, or the member who created the API key's secret. The keys
 * of a project whose creators are unknown share the project's budget.
 */
export async function findMailSender(em: EntityManager, actor: Actor): Promise<string> {
  if (actor.kind === 'user') return actor.userId;
  const { apiKeyId: id, projectId } = actor;
  const key = await em.findOne(ApiKey, { projectId, id });
  const secret = key && findSecret(key, actor.keyHash, new Date());
  return secret?.madeBy ?? projectId;
}
