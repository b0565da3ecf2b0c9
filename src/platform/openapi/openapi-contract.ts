import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  ACCESS_EXTENSION,
  ANY_ORIGIN_EXTENSION,
  BODY_EXAMPLE_EXTENSION,
  NO_DATABASE_EXTENSION,
  REFUSALS_EXTENSION,
  RESPONSE_HEADERS_EXTENSION,
  SESSION_ONLY_EXTENSION,
  SESSION_SCHEME,
  SUCCESS_HEADERS_EXTENSION,
  TIERS_EXTENSION,
} from './api-description.js';
import { addResponseExamples } from './openapi-examples.js';
import { PROBLEM_SCHEMA, problemExample } from './problem-examples.js';

type Json = Record<string, unknown>;

/** An operation of the document, with the members used here. */
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Json> };
  responses: Record<string, Json>;
  security?: Json[];
  [ACCESS_EXTENSION]?: string;
  [SESSION_ONLY_EXTENSION]?: true;
  [TIERS_EXTENSION]?: string[];
  [BODY_EXAMPLE_EXTENSION]?: Json;
  [REFUSALS_EXTENSION]?: number[];
  [RESPONSE_HEADERS_EXTENSION]?: HeaderName[];
  [SUCCESS_HEADERS_EXTENSION]?: HeaderName[];
  [ANY_ORIGIN_EXTENSION]?: true;
  [NO_DATABASE_EXTENSION]?: true;
}

interface Route {
  path: string;
  method: (typeof METHODS)[number];
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** The headers of responses, by name; each response refers to its own. */
const HEADERS = {
  Allow: describeHeader('The methods of the path'),
  'Access-Control-Allow-Origin': describeHeader('`*` on the routes that pages of any site call'),
  'Access-Control-Expose-Headers': describeHeader('The headers that a page of another site may read'),
  'Cache-Control': describeHeader('How long the response may be kept'),
  'Content-Disposition': describeHeader('File name'),
  ETag: describeHeader('Version of the representation, for If-Match and If-None-Match'),
  Location: describeHeader('Path of the created resource'),
  'Retry-After': describeHeader('Seconds until a retry makes sense', 'integer'),
  'Set-Cookie': describeHeader('Starts, renews or ends the session'),
  'Timing-Allow-Origin': describeHeader('`*`: a page may measure the request'),
  Vary: describeHeader('The request headers that the response depends on'),
  'WWW-Authenticate': describeHeader('Bearer'),
  'X-Amz-Meta-Tier': describeHeader('The tier that was published'),
  'X-Request-Id': describeHeader('The id of the request in the log'),
};
type HeaderName = keyof typeof HEADERS;

const OF_ANY_RESPONSE: HeaderName[] = ['X-Request-Id', 'Cache-Control'];
const OF_ANY_ORIGIN: HeaderName[] = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];
/** In this order. */
const SUCCESS_HEADERS = ['Set-Cookie', 'Location', 'ETag'] as const;
/** The extensions set by the decorators of `platform/openapi/api-description.ts`. */
const REPLACED_EXTENSIONS = [
  BODY_EXAMPLE_EXTENSION,
  REFUSALS_EXTENSION,
  RESPONSE_HEADERS_EXTENSION,
  SUCCESS_HEADERS_EXTENSION,
  ANY_ORIGIN_EXTENSION,
  NO_DATABASE_EXTENSION,
] as const;
const FILE_TYPES = ['text/csv', 'application/pdf', 'application/zip'];
/** Statuses that any route can return. */
const OF_ANY_ROUTE = [400, 405, 408, 431, 500];

/** The status in the example of any other error. */
const OTHER_REFUSAL = 417;

/** The errors shared by many operations, by status. */
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
 * Completes Nest's document: the errors of each operation, parameters that only the path contains,
 * the required credentials, and OpenAPI 3.1's form of null.
 */
export function completeContract(document: OpenAPIObject): OpenAPIObject {
  const { components = {}, paths } = document;
  components.schemas = { ...components.schemas, Problem: PROBLEM_SCHEMA } as NonNullable<
    typeof components.schemas
  >;
  // Each operation documents its own conflicts.
  const { 409: _conflict, ...shared } = REFUSALS;
  const responses: [string, Json][] = Object.entries(shared).map(([status, refusal]) => [
    responseName(Number(status)),
    problemResponse(Number(status), refusal),
  ]);
  responses.push(['Refusal', problemResponse(OTHER_REFUSAL, { description: 'Any other error' })]);
  components.headers = HEADERS as NonNullable<typeof components.headers>;
  components.responses = Object.fromEntries(responses) as unknown as NonNullable<typeof components.responses>;
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = methods[method] as unknown as Operation | undefined;
      if (operation) completeOperation({ path, method }, operation);
    }
    addTags(methods as unknown as Record<string, Operation | undefined>);
  }
  const complete = withNulls({ ...document, components }) as OpenAPIObject;
  const operations = Object.values(complete.paths).flatMap((methods) =>
    METHODS.flatMap((method) => methods[method] ?? []),
  );
  addResponseExamples(
    operations.flatMap((operation) => Object.values(operation.responses) as unknown as Json[]),
    complete.components?.schemas ?? {},
  );
  return complete;
}

function completeOperation({ path, method }: Route, operation: Operation): void {
  // One handler that serves two paths.
  operation.operationId = operation.operationId.replace('[0]', '').replace('[1]', 'Alias');
  addPathParameters(path, operation);
  const example = operation[BODY_EXAMPLE_EXTENSION];
  const content = Object.values(operation.requestBody?.content ?? {});
  if (example) for (const media of content) media.example = example;
  const isPublic = operation[ACCESS_EXTENSION] === 'public';
  if (isPublic) operation.security = [];
  if (operation[SESSION_ONLY_EXTENSION]) operation.security = [{ [SESSION_SCHEME]: [] }];
  for (const status of listRefusals({ path, method }, operation, isPublic)) {
    operation.responses[status] ??= { $ref: `#/components/responses/${responseName(status)}` };
  }
  // A handler's own sentence about an error.
  for (const [status, own] of Object.entries(operation.responses)) {
    if (Number(status) < 400 || own.$ref || own.content) continue;
    const refusal = { ...REFUSALS[Number(status)], ...(own as { description: string }) };
    Object.assign(own, problemResponse(Number(status), refusal, path));
  }
  const tiers = operation[TIERS_EXTENSION];
  // A route whose use case decides documents its error itself.
  if (tiers && operation.responses[403]?.$ref) {
    const description = `tier_required: the project needs one of the tiers ${tiers.join(', ')}; or as elsewhere`;
    operation.responses[403] = problemResponse(403, { description }, path);
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response.$ref) continue;
    addHeaders(response, listHeaders(operation, Number(status)));
    const types = Object.keys((response.content ?? {}) as Json);
    if (types.some((type) => FILE_TYPES.includes(type))) addHeaders(response, ['Content-Disposition']);
  }
  operation.responses.default = { $ref: '#/components/responses/Refusal' };
  for (const extension of REPLACED_EXTENSIONS) delete operation[extension];
}

/** The headers of a response that the operation describes itself. */
function listHeaders(operation: Operation, status: number): HeaderName[] {
  const success = new Set(operation[SUCCESS_HEADERS_EXTENSION]);
  if (status === 201) success.add('Location');
  return [
    ...OF_ANY_RESPONSE,
    ...(operation[ANY_ORIGIN_EXTENSION] ? OF_ANY_ORIGIN : []),
    ...(operation[RESPONSE_HEADERS_EXTENSION] ?? []),
    ...(status < 300 ? SUCCESS_HEADERS.filter((name) => success.has(name)) : []),
  ];
}

/**
 * Adds the ETag that a change (`If-Match`) is based on to the other methods of the path, and to
 * responses that may be 304.
 */
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

function describeHeader(description: string, type = 'string'): Json {
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

/** The error statuses that an operation can return. */
function listRefusals({ path, method }: Route, operation: Operation, isPublic: boolean): number[] {
  const { parameters = [], requestBody } = operation;
  const isSignIn = path.startsWith('/v1/auth/');
  const isWebhook = path.startsWith('/v1/webhooks/');
  const statuses: number[] = [...OF_ANY_ROUTE, ...(operation[REFUSALS_EXTENSION] ?? [])];
  if (!isPublic || isSignIn) statuses.push(401, 403, 429);
  if (path.includes('{')) statuses.push(404);
  if (parameters.some(({ name }) => name === 'If-Match')) statuses.push(412);
  if (method !== 'get') statuses.push(413, 415);
  if ((requestBody !== undefined && !isWebhook) || parameters.some((parameter) => parameter.in === 'query'))
    statuses.push(422);
  if (!operation[NO_DATABASE_EXTENSION]) statuses.push(503);
  return statuses;
}

function responseName(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '');
}

function problemResponse(
  status: number,
  { description, headers = [] }: { description: string; headers?: HeaderName[] },
  path?: string,
): Json {
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description,
    headers: refsTo([...OF_ANY_RESPONSE, ...OF_ANY_ORIGIN, 'Timing-Allow-Origin', ...headers]),
    content: {
      'application/problem+json': { schema, example: problemExample(status, description, path) },
    },
  };
}

/**
 * Replaces OpenAPI 3.0's `nullable: true`, which Nest writes, by the form of 3.1. Returns a copy.
 */
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
