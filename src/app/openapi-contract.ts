import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ACCESS_EXTENSION, SESSION_ONLY_EXTENSION, SESSION_SCHEME } from '../access/access.decorators.js';
import { BODY_EXAMPLES } from './openapi-examples.js';
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
  memberAdd: '`member_exists`, `invitation_exists`, `invitation_limit_reached`',
  memberChangeRole: '`last_owner`, `acceptance_required`',
  invitationInvite: '`member_exists`, `invitation_exists`, `invitation_limit_reached`',
  accountAcceptInvitation: '`member_limit_reached`, `project_limit_reached`',
  ownInvitationAccept: '`member_limit_reached`, `project_limit_reached`',
  ownershipOffer: '`member_exists`, `invitation_exists`, `invitation_limit_reached`',
  apiKeyRename: '`api_key_revoked`',
  ownershipLeave: '`last_owner`',
  meDelete: '`last_owner`: `detail` names the projects',
  secondFactorBegin: '`second_factor_enabled`',
  secondFactorConfirm: '`second_factor_missing`',
  secondFactorRecoveryCodes: '`second_factor_missing`',
  signInPolicySave: '`second_factor_missing`',
  memberRemove: '`last_owner`',
  apiKeyCreate: '`api_key_limit_reached`',
  configurationSave: '`publication_limit_reached`',
  configurationRollBack: '`publication_limit_reached`',
  consentList: '`visitor_reference_not_configured`',
  consentRecord: '`consent_id_conflict`: a different choice is stored under this id',
  visitorWithdraw: '`consent_id_conflict`: a different choice is stored under this id',
  forwardingTest: '`endpoint_not_configured`',
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

/** The headers of responses, by name; each response refers to those that it may have. */
const HEADERS = {
  Allow: headerOf('The methods of the path'),
  'Access-Control-Allow-Origin': headerOf('`*` on the routes that pages of any site call'),
  'Access-Control-Expose-Headers': headerOf('The headers that a page of another site may read'),
  'Cache-Control': headerOf('How long the response may be kept'),
  'Content-Disposition': headerOf('File name'),
  ETag: headerOf('Version of the representation, for If-Match and If-None-Match'),
  Location: headerOf('Path of the created resource'),
  'Retry-After': headerOf('Seconds until a retry makes sense', 'integer'),
  'Set-Cookie': headerOf('Starts, renews or ends the session'),
  'Timing-Allow-Origin': headerOf('`*`: a page may measure the request'),
  Vary: headerOf('The request headers that the response depends on'),
  'WWW-Authenticate': headerOf('Bearer'),
  'X-Amz-Meta-Tier': headerOf('The tier that was published'),
  'X-Request-Id': headerOf('The id of the request in the log'),
};
type HeaderName = keyof typeof HEADERS;

const OF_ANY_RESPONSE: HeaderName[] = ['X-Request-Id', 'Cache-Control'];
const OF_ANY_ORIGIN: HeaderName[] = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
/** The public files, and what websites load. */
const OF_FILES: HeaderName[] = ['Timing-Allow-Origin', 'Vary', 'X-Amz-Meta-Tier'];
/** Routes that pages of any site call. */
const ANY_ORIGIN =
  /^\/(v1\/(pricing|visitor\/|projects\/\{projectId\}\/(consents|visits)$)|cdn\/|log\/|\.well-known\/)/;
/** Operations without `If-Match` that return the version of what they show. */
const SHOWS_VERSION = new Set(['projectCreate', 'forwardingResume']);
/** Operations that start, renew or end a session. */
const SETS_COOKIES = /^(auth|account|secondFactor|meDelete|session)/;
const FILE_TYPES = ['text/csv', 'application/pdf', 'application/zip'];
/** Statuses that any route can answer. */
const OF_ANY_ROUTE = [400, 405, 408, 431, 500];

/** The refusals that many operations share, by status. */
const REFUSALS: Record<number, { description: string; headers?: HeaderName[] }> = {
  400: { description: 'Malformed request: invalid JSON or path' },
  401: {
    description: 'Missing or invalid credentials',
    headers: ['WWW-Authenticate'],
  },
  403: { description: 'Not allowed for this caller, tier, or origin' },
  404: { description: 'Not found, or not visible to the caller' },
  405: {
    description: 'Method not supported on this path',
    headers: ['Allow'],
  },
  408: { description: 'The request did not arrive in time' },
  409: { description: 'Conflict with the current state' },
  410: { description: '`link_ended`: the link expired, was already used, or never existed' },
  412: { description: '`version_conflict`: the resource was changed in the meantime' },
  413: { description: 'The body is too large' },
  415: { description: 'Unsupported content type, charset, or encoding' },
  422: { description: '`validation_failed`: `errors` lists the fields' },
  429: { description: 'Too many requests', headers: ['Retry-After'] },
  431: { description: 'The headers or the URL are too large' },
  500: {
    description: '`internal_error`: a bug in the service; the log has the details under `X-Request-Id`',
  },
  503: {
    description: 'The service or one of its dependencies is overloaded or unavailable',
    headers: ['Retry-After'],
  },
};

/**
 * Makes what Nest describes the whole contract: the refusals of each operation, parameters that only the path names,
 * who may call, and OpenAPI 3.1's way to say null.
 */
export function completeContract(document: OpenAPIObject): OpenAPIObject {
  const { components = {}, paths } = document;
  components.schemas = { ...components.schemas, Problem: PROBLEM } as NonNullable<typeof components.schemas>;
  // Each operation documents its own conflicts.
  const { 409: _conflict, ...shared } = REFUSALS;
  const responses: [string, Json][] = Object.entries(shared).map(([status, refusal]) => [
    nameOf(Number(status)),
    problemResponse(refusal),
  ]);
  responses.push(['Refusal', problemResponse({ description: 'Any other error' })]);
  components.headers = HEADERS as NonNullable<typeof components.headers>;
  components.responses = Object.fromEntries(responses) as unknown as NonNullable<typeof components.responses>;
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = methods[method] as unknown as Operation | undefined;
      if (operation) completeOperation({ path, method }, operation);
    }
    addTags(methods as unknown as Record<string, Operation | undefined>);
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
  if (operation[SESSION_ONLY_EXTENSION]) operation.security = [{ [SESSION_SCHEME]: [] }];
  for (const status of refusalsOf({ path, method }, operation, isPublic)) {
    operation.responses[status] ??= { $ref: `#/components/responses/${nameOf(status)}` };
  }
  // A handler's own sentence about a refusal.
  for (const [status, own] of Object.entries(operation.responses)) {
    if (Number(status) < 400 || own.$ref || own.content) continue;
    Object.assign(own, problemResponse({ ...REFUSALS[Number(status)], ...(own as { description: string }) }));
  }
  const tiers = operation[TIERS_EXTENSION];
  // A route whose use case decides describes its refusal itself.
  if (Array.isArray(tiers) && operation.responses[403]?.$ref) {
    operation.responses[403] = problemResponse({
      description: `tier_required: the project needs one of the tiers ${tiers.join(', ')}; or as elsewhere`,
    });
  }
  const conflict = CONFLICTS[operation.operationId];
  if (conflict) operation.responses[409] = problemResponse({ description: conflict });
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response.$ref) continue;
    addHeaders(response, headersOf({ path, method }, operation, Number(status)));
    const types = Object.keys((response.content ?? {}) as Json);
    if (types.some((type) => FILE_TYPES.includes(type))) addHeaders(response, ['Content-Disposition']);
  }
  operation.responses.default = { $ref: '#/components/responses/Refusal' };
}

/** The headers of a response that the operation describes itself. */
function headersOf({ path }: Route, { operationId }: Operation, status: number): HeaderName[] {
  const isCreated = status === 201 || (status === 202 && operationId === 'privacyErase');
  return [
    ...OF_ANY_RESPONSE,
    ...(ANY_ORIGIN.test(path) ? OF_ANY_ORIGIN : []),
    ...(/^\/(cdn\/|v1\/pricing)/.test(path) ? OF_FILES : []),
    ...(path.startsWith('/log/') ? (['Content-Disposition'] as const) : []),
    ...(status < 300 && SETS_COOKIES.test(operationId) ? (['Set-Cookie'] as const) : []),
    ...(isCreated ? (['Location'] as const) : []),
    ...(status < 300 && SHOWS_VERSION.has(operationId) ? (['ETag'] as const) : []),
  ];
}

/** The basis of a change (`If-Match`) is sent as ETag by the path; so is the tag of an answer that may be 304. */
function addTags(methods: Record<string, Operation | undefined>): void {
  const isBased = (operation?: Operation): boolean =>
    operation?.parameters?.some(({ name }) => name === 'If-Match') === true;
  const isChanged = Object.values(methods).some(isBased);
  for (const [method, operation] of Object.entries(methods)) {
    const { 200: answered, 304: unchanged } = operation?.responses ?? {};
    if (answered && (unchanged || isBased(operation) || (isChanged && method === 'get')))
      addHeaders(answered, ['ETag']);
    if (unchanged) addHeaders(unchanged, ['ETag']);
  }
}

function addHeaders(response: Json, names: readonly HeaderName[]): void {
  response.headers = { ...(response.headers as Json | undefined), ...refsTo(names) };
}

function refsTo(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headerOf(description: string, type = 'string'): Json {
  return { description, schema: { type } };
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
  const isWebhook = path.startsWith('/v1/webhooks/');
  const statuses: number[] = [...OF_ANY_ROUTE];
  if (!isPublic || isSignIn) statuses.push(401, 403, 429);
  if (isIngest) statuses.push(403, 429);
  if (isVisitors) statuses.push(404, 429);
  if (path.includes('{')) statuses.push(404);
  if (parameters.some(({ name }) => name === 'If-Match')) statuses.push(412);
  if (FOLLOWS_A_LINK.has(operationId)) statuses.push(410);
  if (method !== 'get') statuses.push(413, 415);
  if ((requestBody !== undefined && !isWebhook) || parameters.some((parameter) => parameter.in === 'query'))
    statuses.push(422);
  if (!WITHOUT_DATABASE.has(operationId)) statuses.push(503);
  return statuses;
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '');
}

function problemResponse({
  description,
  headers = [],
}: {
  description: string;
  headers?: HeaderName[];
}): Json {
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description,
    headers: refsTo([...OF_ANY_RESPONSE, ...OF_ANY_ORIGIN, 'Timing-Allow-Origin', ...headers]),
    content: { 'application/problem+json': { schema } },
  };
}

const PROBLEM = {
  type: 'object',
  description:
    'Problem details (RFC 9457). `code` is stable; `detail` is for people. Some codes have more members.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Path of the request' },
    code: { type: 'string', enum: [...Object.keys(DOMAIN_ERROR_STATUS), ...OTHER_CODES] },
    errors: {
      type: 'array',
      description: 'The invalid fields (422)',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string' },
          message: { type: 'string' },
          code: {
            type: 'string',
            enum: [...FIELD_CODES],
            description: 'Code of the error, for your own messages; absent if only the message is available',
          },
          min: { type: 'number', description: 'Lower limit' },
          max: { type: 'number', description: 'Upper limit' },
        },
      },
    },
  },
  additionalProperties: true,
  example: {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'Project not found. Check the project id in the URL.',
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
