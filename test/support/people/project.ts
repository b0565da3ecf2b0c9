import { newId } from '../../../src/platform/identity/ids.js';
import { ApiKeyService } from '../../../src/modules/access/api-key.service.js';
import type { KeyScope } from '../../../src/modules/access/domain/api-key.js';
import { ROLES, type Role } from '../../../src/modules/access/domain/role.js';
import { ProjectEntity } from '../../../src/modules/projects/infrastructure/project.entity.js';
import type { TestService } from '../programs/service.js';

export interface TestProject {
  id: string;
  /** One API key for each role; there are no members, so the owner key manages members and keys. */
  keys: Record<Role, string>;
  /** `fetch` on a path below `/v1/projects/:id`, as the given role, with a JSON body if one is given. */
  request(role: Role, method: string, path: string, body?: unknown): Promise<Response>;
}

function scopesOf(role: Role): KeyScope[] {
  return role === 'owner' ? ['manage_access'] : [];
}

/** Makes a project with a key per role, straight in the database; `fields` override the defaults. */
export async function createTestProject(
  service: TestService,
  fields: Partial<ProjectEntity> = {},
): Promise<TestProject> {
  const apiKeys = service.app.get(ApiKeyService, { strict: false });
  const id = newId();
  const keys = await service.database.orm.em.fork().transactional(async (tx) => {
    tx.create(ProjectEntity, {
      id,
      name: 'A project',
      domains: [],
      tier: 'lite',
      tierReason: 'no_subscription',
      tierVersion: 0,
      createdAt: new Date(),
      ...fields,
    });
    // The key rows refer to the project's row.
    await tx.flush();
    return ROLES.map(
      (role) =>
        [role, apiKeys.create(tx, { projectId: id, name: role, role, scopes: scopesOf(role) }).key] as const,
    );
  });
  const keyOf = Object.fromEntries(keys) as Record<Role, string>;
  return {
    id,
    keys: keyOf,
    request: (role, method, path, body) =>
      fetch(`${service.baseUrl}/v1/projects/${id}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${keyOf[role]}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
