import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { EntityManager } from '@mikro-orm/postgresql';
import type { Response } from 'express';
import { truncatedNetwork } from '../audit/domain/author.js';
import { projectNotFound, ProjectService } from '../projects/project.service.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { isUuid } from '../../platform/identity/ids.js';
import { InjectSettings } from '../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../platform/settings/service.settings.js';
import { type Actor, emailNotConfirmed, requireUser, secondFactorRequired } from './domain/actor.js';
import { areaOfRoute, hashOfKey, isWithinAreas } from './domain/api-key.js';
import { apiKeyIn } from './domain/credential.js';
import { isPersonalToken } from './domain/personal-token.js';
import { type AccessedRequest, type AccessRule, SESSION_ONLY } from './access.decorators.js';
import { ACCESS_RULE } from '../../platform/http/public.decorator.js';
import { ApiKeyService } from './api-key.service.js';
import { PersonalTokenService } from './application/personal-token.service.js';
import { SignInService } from './application/sign-in.service.js';
import { refuseForeignRequest } from './http/own-request.guard.js';
import { findOrganizationOf } from '../organizations/organization-roles.js';
import { organizationNotFound, organizationRoleRequired } from '../organizations/domain/organization.js';
import { findStanding } from './infrastructure/membership.rows.js';
import { type ProjectStanding, roleCovers } from './domain/role.js';

/**
 * Refuses requests without permission: 401 without credential, 404 on a project of others, 403 if
 * the role is too low.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyService,
    private readonly tokens: PersonalTokenService,
    private readonly signIns: SignInService,
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (!rule)
      throw new Error(
        `${context.getClass().name}.${context.getHandler().name} does not declare who may call it.`,
      );
    if (rule.kind === 'public') return true;
    const http = context.switchToHttp();
    // Responses to credentials must not be cached, errors included.
    http.getResponse<Response>().setHeader('Cache-Control', 'no-store');
    const request = http.getRequest<AccessedRequest>();
    const actor = await this.identify(request);
    request.actor = actor;
    const isSessionOnly = this.reflector.get<true | undefined>(SESSION_ONLY, context.getHandler());
    // Keys see no organization: a route for sessions says so instead of 404.
    if (isSessionOnly && rule.kind === 'organization' && actor.kind === 'api_key') requireUser(actor);
    if (rule.kind === 'project') await this.enterProject(request, actor, rule);
    else if (rule.kind === 'organization') await this.enterOrganization(request, actor, rule);
    else if (actor.kind === 'api_key') refuseBeyondAreas(actor, request);
    if (isSessionOnly) requireUser(actor);
    return true;
  }

  /** An `Authorization` header takes precedence over a cookie, even if the header is invalid. */
  private async identify(request: AccessedRequest): Promise<Actor> {
    const { authorization, cookie } = request.headers;
    const actor =
      authorization === undefined
        ? await this.actorOfSession(request, cookie)
        : await this.actorOfBearer(request, apiKeyIn(authorization));
    if (!actor) {
      throw new DomainError(
        'authentication_required',
        'Sign in, or send a valid API key as "Authorization: Bearer <api key>".',
      );
    }
    return actor;
  }

  private async actorOfBearer(
    request: AccessedRequest,
    credential: string | undefined,
  ): Promise<Actor | null> {
    if (credential === undefined) return null;
    return isPersonalToken(credential)
      ? this.actorOfToken(request, credential)
      : this.actorOfKey(request, credential);
  }

  private async actorOfToken(request: AccessedRequest, token: string): Promise<Actor | null> {
    const found = await this.tokens.find(token);
    if (!found) return null;
    const { lastUsedOn: _, ...holder } = found;
    return { kind: 'personal_token', ...holder, network: truncatedNetwork(request.ip) };
  }

  private async actorOfKey(request: AccessedRequest, key: string): Promise<Actor | null> {
    const found = await this.apiKeys.find(key);
    if (!found) return null;
    const { id: apiKeyId, projectId, role, scopes } = found;
    const limitedTo = found.limitedTo ?? null;
    const network = truncatedNetwork(request.ip);
    const keyHash = hashOfKey(key);
    return { kind: 'api_key', apiKeyId, keyHash, projectId, role, scopes, limitedTo, network };
  }

  private async actorOfSession(request: AccessedRequest, cookie: string | undefined): Promise<Actor | null> {
    const user = await this.signIns.find(cookie);
    if (!user) return null;
    refuseForeignRequest(request, this.service);
    const { id: userId, emailVerified: emailConfirmed, ...session } = user;
    const network = truncatedNetwork(request.ip);
    return { kind: 'user', ...session, userId, emailConfirmed, network };
  }

  private async enterProject(
    request: AccessedRequest,
    actor: Actor,
    { role: needed, scope, orBilling }: AccessRule & { kind: 'project' },
  ): Promise<void> {
    const projectId = request.params.projectId;
    if (!isUuid(projectId)) throw projectNotFound();
    const id = projectId.toLowerCase();
    const standing = await findStandingOf(this.em.fork(), actor, id);
    const project = standing && (await this.projects.find(id));
    if (!standing || !project) throw projectNotFound();
    const { role, managesBilling, needsSecondFactor } = standing;
    if (actor.kind !== 'api_key' && !actor.emailConfirmed) throw emailNotConfirmed();
    if (actor.kind !== 'api_key' && needsSecondFactor && !actor.secondFactor) throw secondFactorRequired();
    const isCovered = role !== null && roleCovers(role, needed);
    if (!isCovered && !(orBilling && managesBilling)) {
      const currentRole = role ?? 'billing';
      throw new DomainError('role_required', `Requires the role ${needed}. Your role is ${currentRole}.`, {
        members: { requiredRole: needed, currentRole },
      });
    }
    if (actor.kind === 'api_key') refuseBeyondAreas(actor, request);
    const scopes = actor.kind === 'api_key' ? actor.scopes : [];
    if (scope && actor.kind !== 'user' && !scopes.includes(scope)) {
      throw new DomainError(
        'scope_required',
        `Requires a signed-in user, or an API key with the scope ${scope}.`,
        { members: { requiredScope: scope } },
      );
    }
    request.project = project;
    if (role !== null) request.role = role;
  }

  private async enterOrganization(
    request: AccessedRequest,
    actor: Actor,
    { role: needed }: AccessRule & { kind: 'organization' },
  ): Promise<void> {
    const { organizationId } = request.params;
    if (actor.kind === 'api_key' || !isUuid(organizationId)) throw organizationNotFound();
    const ref = { organizationId: organizationId.toLowerCase(), userId: actor.userId };
    const organization = await findOrganizationOf(this.em.fork(), ref);
    if (!organization) throw organizationNotFound();
    if (!actor.emailConfirmed) throw emailNotConfirmed();
    if (needed === 'admin' && organization.role !== 'admin')
      throw organizationRoleRequired(organization.role);
    request.organization = organization;
  }
}

/** @throws DomainError `scope_required` if the key is limited to areas that don't include the route. */
function refuseBeyondAreas({ limitedTo }: Actor & { kind: 'api_key' }, request: AccessedRequest): void {
  const { path: route } = request.route as { path: string };
  if (isWithinAreas(limitedTo, { method: request.method, route })) return;
  throw new DomainError('scope_required', 'This API key is limited to other parts of the project.', {
    members: { requiredScope: areaOfRoute(route), limitedTo },
  });
}

/** The actor's permissions on a project; null: none. */
async function findStandingOf(
  em: EntityManager,
  actor: Actor,
  projectId: string,
): Promise<ProjectStanding | null> {
  if (actor.kind !== 'api_key') return findStanding(em, { projectId, userId: actor.userId });
  if (actor.projectId !== projectId) return null;
  return { role: actor.role, managesBilling: false, needsSecondFactor: false };
}
