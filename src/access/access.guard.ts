import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Project } from '../projects/project.entity.js';
import { DomainError } from '../shared/domain-error.js';
import { isUuid } from '../shared/ids.js';
import { ACCESS_RULE, type AccessedRequest, type AccessRule, type Actor } from './access.decorators.js';
import { ApiKeyService } from './api-key.service.js';
import { type Role, roleCovers } from './role.js';

const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** Refuses whoever may not: 401 without credential, 404 on somebody else's project, 403 with too low a role. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyService,
    private readonly em: EntityManager,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (!rule)
      throw new Error(
        `${context.getClass().name}.${context.getHandler().name} does not say who may call it.`,
      );
    if (rule.kind === 'public') return true;
    const request = context.switchToHttp().getRequest<AccessedRequest>();
    const actor = await this.identify(request);
    request.actor = actor;
    if (rule.kind === 'project') await this.enterProject(request, actor, rule.role);
    return true;
  }

  private async identify(request: AccessedRequest): Promise<Actor> {
    const key = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const found = key === undefined ? null : await this.apiKeys.find(key);
    if (!found) {
      throw new DomainError(
        'authentication_required',
        'Sign in, or send a valid API key as "Authorization: Bearer <api key>".',
      );
    }
    return { kind: 'api_key', apiKeyId: found.id, projectId: found.projectId, role: found.role };
  }

  private async enterProject(request: AccessedRequest, actor: Actor, needed: Role): Promise<void> {
    const { projectId } = request.params;
    const role = isUuid(projectId) ? await this.roleOf(actor, projectId.toLowerCase()) : null;
    const project =
      role && isUuid(projectId) ? await this.em.fork().findOne(Project, { id: projectId }) : null;
    if (!role || !project)
      throw new DomainError('project_not_found', 'There is no such project among yours.');
    if (!roleCovers(role, needed)) {
      throw new DomainError('role_required', `This needs the role ${needed}; yours is ${role}.`, {
        members: { requiredRole: needed, currentRole: role },
      });
    }
    request.project = project;
    request.role = role;
  }

  private async roleOf(actor: Actor, projectId: string): Promise<Role | null> {
    if (actor.kind === 'api_key') return actor.projectId === projectId ? actor.role : null;
    return null;
  }
}
