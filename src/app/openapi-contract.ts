import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ACCESS_EXTENSION } from '../access/access.decorators.js';
import { TIERS_EXTENSION } from '../licensing/require-tier.decorator.js';
import { FIELD_CODES } from '../shared/field-problem.js';
import { DOMAIN_ERROR_STATUS } from '../shared/domain-error.js';

type Json = Record<string, unknown>;

/** An operation of the document, as far as it is completed here. */
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Json> };
  responses: Record<string, Json>;
  security?: Json[];
  [extension: `x-${string}`]: unknown;
}

interface Route {
  path: string;
  method: (typeof METHODS)[number];
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** Operations that can be refused because of what is there already. */
const CONFLICTS: Record<string, string> = {
  projectCreate: '`project_limit_reached`',
  memberAdd: '`member_exists`, `member_limit_reached`',
  memberChangeRole: '`last_owner`',
  invitationInvite: '`member_exists`, `invitation_exists`, `invitation_limit_reached`',
  accountAcceptInvitation: '`member_limit_reached`',
  ownershipLeave: '`last_owner`',
  meDelete: '`last_owner`: the sentence names the projects',
  secondFactorBegin: '`second_factor_enabled`',
  secondFactorConfirm: '`second_factor_missing`',
  secondFactorRecoveryCodes: '`second_factor_missing`',
  signInPolicySave: '`second_factor_missing`',
  memberRemove: '`last_owner`',
  apiKeyCreate: '`api_key_limit_reached`',
  consentList: '`visitor_reference_not_configured`',
  consentRecord: '`consent_id_conflict`: another choice is stored under the id',
  visitorWithdraw: '`consent_id_conflict`: another choice is stored under the id',
  forwardingTest: '`endpoint_not_configured`',
};

/** Of no link. */
const EXAMPLE_TOKEN = 'q7Vn2cYt0h9mZr4Xs8Kd1LfPw5Bg6Jt3Ae_Uo-RiCyM';

/** A body for each operation that takes one; redocly holds them against the schemas. */
const BODY_EXAMPLES: Record<string, Json> = {
  accountSignUp: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' },
  authSignIn: { email: 'ada@example.com', password: 'correct horse battery' },
  accountConfirmEmail: { token: EXAMPLE_TOKEN, password: 'correct horse battery' },
  accountForgotPassword: { email: 'ada@example.com' },
  accountResetPassword: { token: EXAMPLE_TOKEN, newPassword: 'staple battery horse' },
  authChangePassword: { currentPassword: 'correct horse battery', newPassword: 'staple battery horse' },
  authChangeEmail: { newEmail: 'ada@example.net', password: 'correct horse battery' },
  accountConfirmNewEmail: { token: EXAMPLE_TOKEN, password: 'correct horse battery' },
  meRename: { name: 'Ada Lovelace' },
  meDelete: { password: 'correct horse battery' },
  projectCreate: { name: 'Bakery', domains: ['bakery.example'] },
  projectUpdate: { domains: ['bakery.example', 'shop.example'] },
  memberAdd: { email: 'grace@example.com', role: 'editor' },
  memberChangeRole: { role: 'viewer' },
  invitationInvite: { email: 'grace@example.com', role: 'editor' },
  ownershipTransfer: { userId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f' },
  secondFactorBegin: { password: 'correct horse battery' },
  secondFactorConfirm: { code: '123456' },
  secondFactorDisable: { password: 'correct horse battery' },
  secondFactorRecoveryCodes: { password: 'correct horse battery' },
  secondFactorSignIn: { code: '123456' },
  signInPolicySave: { secondFactorRequired: false },
  accountInvitation: { token: EXAMPLE_TOKEN },
  accountAcceptInvitation: { token: EXAMPLE_TOKEN, password: 'correct horse battery' },
  apiKeyCreate: { name: 'Reports', role: 'viewer' },
  apiKeyRename: { name: 'Monthly reports' },
  apiKeyRotate: { formerValidHours: 24 },
  simulateTierSimulate: { tier: 'pro' },
  consentErase: { reason: 'Request of 2026-11-20, ticket 4711' },
  privacySave: { visitorReferenceField: 'customerId', visitorReferenceHashed: true },
  privacyErase: { visitorReference: 'customer-42', reason: 'Request of 2026-11-20, ticket 4711' },
  forwardingSave: { enabled: true, endpointUrl: 'https://consents.example.com/hook', authMode: 'bearer' },
  deliveryResendMany: { status: 'failed', from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
  billingCheckout: { tier: 'pro', interval: 'month' },
};

/** Operations that are given the token of a mailed link. */
const FOLLOWS_A_LINK = new Set([
  'accountConfirmEmail',
  'accountResetPassword',
  'accountConfirmNewEmail',
  'accountInvitation',
  'accountAcceptInvitation',
]);

/** What no statement of a database is behind: nothing that could be away. */
const WITHOUT_DATABASE = new Set(['pricingRead', 'cdnLoader']);

/** Codes of refusals that are made outside the domain. */
const OTHER_CODES = ['internal_error', 'request_timeout', 'expectation_failed', 'headers_too_large'];

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until it makes sense to ask again', schema: { type: 'integer' } },
};

/** The refusals that many operations share, by status. */
const REFUSALS: Record<number, { description: string; headers?: Json }> = {
  400: { description: 'The request is not one: no JSON, or no valid path' },
  401: {
    description: 'Without a credential, or with a wrong one',
    headers: { 'WWW-Authenticate': { description: 'Bearer', schema: { type: 'string' } } },
  },
  403: { description: 'The caller, the tier or the origin does not allow it' },
  404: { description: 'There is no such thing, or none that the caller may know of' },
  409: { description: 'What is there already does not allow it' },
  410: { description: '`link_ended`: the link was followed before, has ended, or never was' },
  412: { description: '`version_conflict`: somebody has changed it meanwhile' },
  413: { description: 'The body is larger than this route takes' },
  415: { description: 'The body is of a type, charset or encoding that this route does not take' },
  422: { description: '`validation_failed`: `errors` names the fields' },
  429: { description: 'Too many requests', headers: RETRY_AFTER },
  503: { description: 'The service, or what it needs, is busy or away', headers: RETRY_AFTER },
};

/**
 * Makes what Nest describes the whole contract: the refusals of each operation, parameters that only the path names,
 * who may call, and OpenAPI 3.1's way to say null.
 */
export function completeContract(document: OpenAPIObject): OpenAPIObject {
  const { components = {}, paths } = document;
  components.schemas = { ...components.schemas, Problem: PROBLEM } as NonNullable<typeof components.schemas>;
  // What conflicts is told by each operation itself.
  const { 409: _conflict, ...shared } = REFUSALS;
  const responses: [string, Json][] = Object.entries(shared).map(([status, refusal]) => [
    nameOf(Number(status)),
    problemResponse(refusal),
  ]);
  responses.push(['Refusal', problemResponse({ description: 'Any other refusal' })]);
  components.responses = Object.fromEntries(responses) as unknown as NonNullable<typeof components.responses>;
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = methods[method] as unknown as Operation | undefined;
      if (operation) completeOperation({ path, method }, operation);
    }
  }
  return withNulls({ ...document, components }) as OpenAPIObject;
}

function completeOperation({ path, method }: Route, operation: Operation): void {
  // One handler that serves two paths.
  operation.operationId = operation.operationId.replace('[0]', '').replace('[1]', 'Alias');
  addPathParameters(path, operation);
  const example = BODY_EXAMPLES[operation.operationId];
  const content = Object.values(operation.requestBody?.content ?? {});
  if (example) for (const media of content) media.example = example;
  const isPublic = operation[ACCESS_EXTENSION] === 'public';
  if (isPublic) operation.security = [];
  for (const status of refusalsOf({ path, method }, operation, isPublic)) {
    operation.responses[status] ??= { $ref: `#/components/responses/${nameOf(status)}` };
  }
  // A handler's own sentence about a refusal.
  for (const [status, own] of Object.entries(operation.responses)) {
    if (Number(status) < 400 || own.$ref || own.content) continue;
    Object.assign(own, problemResponse({ ...REFUSALS[Number(status)], ...(own as { description: string }) }));
  }
  const tiers = operation[TIERS_EXTENSION];
  if (Array.isArray(tiers)) {
    operation.responses[403] = problemResponse({
      description: `tier_required: the project's tier is none of ${tiers.join(', ')}; or as elsewhere`,
    });
  }
  const conflict = CONFLICTS[operation.operationId];
  if (conflict) operation.responses[409] = problemResponse({ description: conflict });
  if (operation.responses[201]) {
    operation.responses[201].headers = {
      Location: { description: 'Path of what was made', schema: { type: 'string' } },
    };
  }
  operation.responses.default = { $ref: '#/components/responses/Refusal' };
}

function addPathParameters(path: string, operation: Operation): void {
  const parameters = (operation.parameters ??= []);
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const known = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
    const schema = { type: 'string', ...(name.endsWith('Id') && { format: 'uuid' }) };
    if (known) Object.assign(known, { schema });
    else parameters.unshift({ name, in: 'path', required: true, schema } as { name: string; in: string });
  }
}

/** The statuses of refusals that an operation can answer. */
function refusalsOf({ path, method }: Route, operation: Operation, isPublic: boolean): number[] {
  const { parameters = [], requestBody, operationId } = operation;
  const isIngest = ['consentRecord', 'visitCount'].includes(operationId);
  const isVisitors = path.startsWith('/v1/visitor/');
  const isSignIn = path.startsWith('/v1/auth/');
  const statuses: number[] = [400];
  if (!isPublic || isSignIn) statuses.push(401, 403, 429);
  if (isIngest) statuses.push(403, 429);
  if (isVisitors) statuses.push(404, 429);
  if (path.includes('{')) statuses.push(404);
  if (parameters.some(({ name }) => name === 'If-Match')) statuses.push(412);
  if (FOLLOWS_A_LINK.has(operationId)) statuses.push(410);
  if (method !== 'get') statuses.push(413, 415);
  if (requestBody !== undefined || parameters.some((parameter) => parameter.in === 'query'))
    statuses.push(422);
  if (!WITHOUT_DATABASE.has(operationId)) statuses.push(503);
  return statuses;
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '');
}

function problemResponse({ description, headers }: { description: string; headers?: Json }): Json {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, ...(headers && { headers }), content: { 'application/problem+json': { schema } } };
}

const PROBLEM = {
  type: 'object',
  description:
    'A refusal (RFC 9457). `code` is stable, `detail` is for people; some codes have further members.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'The path that was asked' },
    code: { type: 'string', enum: [...Object.keys(DOMAIN_ERROR_STATUS), ...OTHER_CODES] },
    errors: {
      type: 'array',
      description: 'The refused fields (422)',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string' },
          message: { type: 'string' },
          code: {
            type: 'string',
            enum: [...FIELD_CODES],
            description: 'What is wrong, for sentences of your own; absent where the message is all there is',
          },
          min: { type: 'number', description: 'A bound that was not kept' },
          max: { type: 'number', description: 'A bound that was not kept' },
        },
      },
    },
  },
  additionalProperties: true,
  example: {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'There is no such project. Check the project id in the URL.',
    instance: '/v1/projects/01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f/tier',
    code: 'project_not_found',
  },
};

/** `nullable: true` of OpenAPI 3.0, which Nest writes, in the words of 3.1. Returns a copy. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withNulls(member)]),
  ) as Json;
  if (nullable !== true) return nullable === undefined ? rest : { ...rest, nullable };
  if (typeof rest.type === 'string') {
    return {
      ...rest,
      type: [rest.type, 'null'],
      ...(Array.isArray(rest.enum) && { enum: [...(rest.enum as unknown[]), null] }),
    };
  }
  if (Array.isArray(rest.allOf)) {
    const { allOf, ...others } = rest;
    return { ...others, anyOf: [...(allOf as unknown[]), { type: 'null' }] };
  }
  return rest;
}
