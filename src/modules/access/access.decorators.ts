import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Author } from '../audit/domain/author.js';
import { type Actor, toAuthor } from './domain/actor.js';
import type { KeyScope } from './domain/key-scope.js';
import type { Role } from './domain/role.js';
import type { Project } from '../projects/domain/project.js';

/** What a route demands of its caller; every route must say one of these, or the guard refuses to serve it. */
export type AccessRule =
  { kind: 'public' } | { kind: 'signed_in' } | { kind: 'project'; role: Role; scope?: KeyScope };

export const ACCESS_RULE = Symbol('ACCESS_RULE');
export const SESSION_ONLY = Symbol('SESSION_ONLY');

/** Names of the API document: what a route demands, and the two ways to show who one is. */
export const ACCESS_EXTENSION = 'x-access';
export const SESSION_ONLY_EXTENSION = 'x-session-only';
export const API_KEY_SCHEME = 'apiKey';
export const SESSION_SCHEME = 'session';

/** What the guard leaves on the request for the handlers. */
export interface AccessedRequest extends Request {
  actor?: Actor;
  project?: Project;
  role?: Role;
}

/** The route asks for no credentials. */
export const Public = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, { kind: 'public' } satisfies AccessRule),
    ApiExtension(ACCESS_EXTENSION, 'public'),
  );

/** The route asks for any valid credential: 401 without. */
export const SignedIn = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, { kind: 'signed_in' } satisfies AccessRule),
    ApiSecurity(API_KEY_SCHEME),
    ApiSecurity(SESSION_SCHEME),
    ApiExtension(ACCESS_EXTENSION, 'signed_in'),
  );

/**
 * The route asks for at least `role` on the project in its path (`:projectId`): 401 without credential,
 * 404 on a project one is no member of, 403 `role_required` with too low a role (design §5).
 */
export const ProjectRole = (role: Role): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, { kind: 'project', role } satisfies AccessRule),
    ApiSecurity(API_KEY_SCHEME),
    ApiSecurity(SESSION_SCHEME),
    ApiExtension(ACCESS_EXTENSION, role),
  );

/** A person alone may call the route: an API key gets 403 `session_required`. Beside one of the rules above. */
export const SessionOnly = (): MethodDecorator =>
  applyDecorators(SetMetadata(SESSION_ONLY, true), ApiExtension(SESSION_ONLY_EXTENSION, true));

/** As `ProjectRole('owner')`, and of an API key its scope `manage_access` too: 403 `scope_required` without. */
export const ManagesAccess = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(ACCESS_RULE, {
      kind: 'project',
      role: 'owner',
      scope: 'manage_access',
    } satisfies AccessRule),
    ApiSecurity(API_KEY_SCHEME),
    ApiSecurity(SESSION_SCHEME),
    ApiExtension(ACCESS_EXTENSION, 'owner'),
  );

/** The caller; only on routes that are not public. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext) => actorOf(context));

/** The caller as the author of a change, for the audit; only on routes that are not public. */
export const CurrentAuthor = createParamDecorator((_: unknown, context: ExecutionContext): Author =>
  toAuthor(actorOf(context)),
);

function actorOf(context: ExecutionContext): Actor {
  const { actor } = context.switchToHttp().getRequest<AccessedRequest>();
  if (!actor) throw new Error('CurrentCaller used on a route that the access guard does not protect');
  return actor;
}

/** The project in the path, as the guard read it; only on `ProjectRole` routes. */
export const CurrentProject = createParamDecorator((_: unknown, context: ExecutionContext): Project => {
  const { project } = context.switchToHttp().getRequest<AccessedRequest>();
  if (!project) throw new Error('CurrentProject used on a route without ProjectRole');
  return project;
});

/** The caller's role on the project in the path, as the guard found it; only on `ProjectRole` routes. */
export const CurrentRole = createParamDecorator((_: unknown, context: ExecutionContext): Role => {
  const { role } = context.switchToHttp().getRequest<AccessedRequest>();
  if (!role) throw new Error('CurrentRole used on a route without ProjectRole');
  return role;
});
