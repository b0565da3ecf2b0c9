import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Author } from '../audit/domain/author.js';
import {
  ACCESS_EXTENSION,
  API_KEY_SCHEME,
  SESSION_ONLY_EXTENSION,
  SESSION_SCHEME,
} from '../../platform/openapi/api-description.js';
import { ACCESS_RULE } from '../../platform/http/public.decorator.js';
import { type Actor, toAuthor } from './domain/actor.js';
import type { KeyScope } from './domain/api-key.js';
import type { Role } from './domain/role.js';
import type { Organization, OrganizationRoles } from '../organizations/domain/organization.js';
import type { Project } from '../projects/domain/project.js';

/** The permission that a route requires; the guard refuses to serve a route without one. */
export type AccessRule =
  | { kind: 'public' }
  | { kind: 'signed_in' }
  /** `orBilling`: or the role billing in the project's organization. */
  | { kind: 'project'; role: Role; scope?: KeyScope; orBilling?: true }
  | { kind: 'organization'; role: 'member' | 'admin' };

export const SESSION_ONLY = Symbol('SESSION_ONLY');

/** Set on the request by the guard, for the handlers. */
export interface AccessedRequest extends Request {
  actor?: Actor;
  project?: Project;
  role?: Role;
  organization?: Organization & OrganizationRoles;
}

const requires = (rule: AccessRule, shown: string): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, rule),
    ApiSecurity(API_KEY_SCHEME),
    ApiSecurity(SESSION_SCHEME),
    ApiExtension(ACCESS_EXTENSION, shown),
  );

/** Requires any valid credential: 401 without. */
export const SignedIn = (): MethodDecorator & ClassDecorator => requires({ kind: 'signed_in' }, 'signed_in');

/**
 * Requires at least `role` on the project in the path (`:projectId`): 401 without credential, 404
 * for non-members, 403 `role_required` if the role is too low (design §5).
 */
export const ProjectRole = (role: Role): MethodDecorator & ClassDecorator =>
  requires({ kind: 'project', role }, role);

/** Like `ProjectRole`, or the role billing in the project's organization. Its handlers read no records. */
export const ProjectBilling = (role: Role): MethodDecorator & ClassDecorator =>
  requires({ kind: 'project', role, orBilling: true }, `${role} or billing`);

/**
 * Requires membership in the organization in the path (`:organizationId`), or its role admin: 401
 * without credential, 404 for others, 403 `role_required`. API keys belong to projects, and get 404.
 */
export const OrganizationAccess = (role: 'member' | 'admin'): MethodDecorator & ClassDecorator =>
  requires({ kind: 'organization', role }, `organization ${role}`);

/**
 * Like `ProjectRole('owner')`, and requires a session, or an API key with the scope `manage_access`:
 * 403 `scope_required` without.
 */
export const ManagesAccess = (): MethodDecorator & ClassDecorator =>
  requires({ kind: 'project', role: 'owner', scope: 'manage_access' }, 'owner');

/** Requires a session: an API key or personal token gets 403 `session_required`. Used beside one of the rules above. */
export const SessionOnly = (): MethodDecorator =>
  applyDecorators(SetMetadata(SESSION_ONLY, true), ApiExtension(SESSION_ONLY_EXTENSION, true));

/** The caller; only on routes that are not public. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext) => actorOf(context));

/** The caller as the author of a change in the audit log; only on routes that are not public. */
export const CurrentAuthor = createParamDecorator((_: unknown, context: ExecutionContext): Author =>
  toAuthor(actorOf(context)),
);

function actorOf(context: ExecutionContext): Actor {
  const { actor } = context.switchToHttp().getRequest<AccessedRequest>();
  if (!actor) throw new Error('CurrentCaller used on a route that the access guard does not protect');
  return actor;
}

/** The project in the path; only on `ProjectRole` routes. */
export const CurrentProject = createParamDecorator((_: unknown, context: ExecutionContext): Project => {
  const { project } = context.switchToHttp().getRequest<AccessedRequest>();
  if (!project) throw new Error('CurrentProject used on a route without ProjectRole');
  return project;
});

/** The caller's role on the project in the path; only on `ProjectRole` routes. */
export const CurrentRole = createParamDecorator((_: unknown, context: ExecutionContext): Role => {
  const { role } = context.switchToHttp().getRequest<AccessedRequest>();
  if (!role) throw new Error('CurrentRole used on a route without ProjectRole');
  return role;
});

/** The organization in the path with the caller's roles; only on `OrganizationAccess` routes. */
export const CurrentOrganization = createParamDecorator(
  (_: unknown, context: ExecutionContext): Organization & OrganizationRoles => {
    const { organization } = context.switchToHttp().getRequest<AccessedRequest>();
    if (!organization) throw new Error('CurrentOrganization used on a route without OrganizationAccess');
    return organization;
  },
);
