import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { type JsonSchema, SchemaValues } from '../support/rules/schema-values.js';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema?: JsonSchema;
}

interface DescribedResponse {
  $ref?: string;
  headers?: Record<string, unknown>;
}

/** An operation of the document with all that it says of requests and responses. */
export interface DocumentOperation {
  operationId: string;
  method: string;
  path: string;
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, DescribedResponse>;
  security: Record<string, unknown>[];
}

/** A request by the document, before it is known whom it is about. */
export interface DocumentRequest {
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  /** Undefined: no body. */
  body: unknown;
  mediaType: string;
}

/** A request that breaks the document in one place. */
export interface BrokenRequest extends DocumentRequest {
  what: string;
}

interface Document {
  paths: Record<string, Record<string, Omit<DocumentOperation, 'method' | 'path'>>>;
  components: { responses: Record<string, DescribedResponse> };
  'x-response-headers': string[];
}

const JSON_TYPE = 'application/json';
/** Bytes that a header holds on its way through every proxy. */
const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;
const values = new SchemaValues();

export const OPERATIONS: DocumentOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    parameters: operation.parameters ?? [],
    method: method.toUpperCase(),
    path,
  })),
);

/** In lower case. */
export const HEADERS_OF_ANY_RESPONSE = new Set(
  document['x-response-headers'].map((name) => name.toLowerCase()),
);

/** The names of the headers that the document names for a status, in lower case; null where it lacks the status. */
export function headersNamed(operation: DocumentOperation, status: number): Set<string> | null {
  const described = operation.responses[status];
  if (!described) return null;
  const { headers = {} } = described.$ref
    ? (document.components.responses[described.$ref.split('/').at(-1) ?? ''] ?? {})
    : described;
  return new Set(Object.keys(headers).map((name) => name.toLowerCase()));
}

/** Requests that are valid by the document. */
export function validRequests(operation: DocumentOperation): Arbitrary<DocumentRequest> {
  const { parameters, requestBody } = operation;
  const group = (place: Parameter['in']): Arbitrary<Record<string, unknown>> => {
    const own = parameters.filter((parameter) => parameter.in === place);
    const members = own.map(({ name, schema = {} }) => {
      const member = values.valid(schema);
      return [name, place === 'query' ? member : member.filter((value) => isSendable(value, place))];
    });
    const requiredKeys = own.filter(({ required }) => required === true).map(({ name }) => name);
    return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
      requiredKeys,
      noNullPrototype: true,
    });
  };
  const contents = Object.entries(requestBody?.content ?? {});
  const bodies = contents.map(([mediaType, { schema }]) =>
    values.valid(schema).map((body) => ({ mediaType, body })),
  );
  const none = fc.constant({ mediaType: '', body: undefined as unknown });
  const body = bodies.length === 0 ? none : fc.oneof(...bodies);
  return fc
    .record({
      params: group('path') as Arbitrary<Record<string, string>>,
      query: group('query'),
      headers: group('header') as Arbitrary<Record<string, string>>,
      body: requestBody && requestBody.required !== true ? fc.oneof(body, none) : body,
    })
    .map(({ body: content, ...rest }) => ({ ...rest, ...content }));
}

function isSendable(value: unknown, place: 'path' | 'header'): boolean {
  return place === 'header'
    ? HEADER_VALUE.test(String(value))
    : String(value).isWellFormed() && !['', '.', '..'].includes(String(value));
}

/** All requests that differ from a valid one in one place and break the document with it. */
export function brokenRequests(operation: DocumentOperation, valid: DocumentRequest): BrokenRequest[] {
  const { parameters, requestBody } = operation;
  const broken: BrokenRequest[] = [];
  for (const { name, in: place, required, schema = {} } of parameters) {
    if (place === 'path') continue;
    const group = place === 'query' ? 'query' : 'headers';
    if (required) {
      const { [name]: _, ...without } = valid[group];
      broken.push({ ...valid, [group]: without, what: `without ${name}` } as BrokenRequest);
    }
    if (place !== 'query') continue;
    for (const value of brokenQueryValues(schema, valid.query[name]))
      broken.push({ ...valid, query: { ...valid.query, [name]: value }, what: `${name}: ${value}` });
  }
  const schema = requestBody?.content[JSON_TYPE]?.schema;
  if (!requestBody || !schema || valid.body === undefined) return broken;
  const json = { ...valid, mediaType: JSON_TYPE };
  broken.push(
    ...values.breaking(schema, valid.body).map(({ value, what }) => ({ ...json, body: value, what })),
  );
  if (requestBody.required) broken.push({ ...valid, mediaType: '', body: undefined, what: 'no body' });
  return [...broken, { ...json, mediaType: 'application/xml', what: 'another type' }];
}

/** Values that break a query parameter, where all values are text. */
function brokenQueryValues(schema: JsonSchema, value: unknown): string[] {
  const { type } = schema;
  if (type === 'boolean') return ['yes', '1', ''];
  if (type === 'integer') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return ['x', '1.5', '', String(minimum - 1), String(maximum + 1)];
  }
  return values
    .breaking(schema, value ?? 'x')
    .map((broken) => broken.value)
    .filter((broken) => typeof broken === 'string');
}
