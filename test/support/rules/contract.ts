import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Json } from '../people/json.js';

interface DescribedResponse {
  $ref?: string;
  content?: Record<string, unknown>;
}

interface Document {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, DescribedResponse> }>
  >;
  components: { responses: Record<string, DescribedResponse> };
}

/** Responses of any route, which operations do not list one by one. */
const OF_ANY_ROUTE = new Set([405, 408, 417, 431, 500]);
const ID = 'contract';

const document = closed(JSON.parse(readFileSync('openapi.json', 'utf8'))) as Document;
const routes = Object.entries(document.paths).map(([path, operations]) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  operations,
}));
// `strict` would refuse the members that OpenAPI adds to schemas, such as `example`.
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
// Stricter than RFC 3339, which takes a blank for the T: instants are ISO 8601 in UTC (design §5).
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
ajv.addSchema({ $id: ID, ...document });
const validators = new Map<string, ValidateFunction>();
const services = new Set<string>();
const plainFetch = globalThis.fetch;

/**
 * Checks every response that a test fetches from the service against `openapi.json`: its status,
 * its type, its body, and no undocumented members. A response that differs fails the request.
 * Returns a function that stops this: other test files of the same process get the original `fetch`
 * back, and a later server on the same port is not checked.
 */
export function checkAnswersOf(baseUrl: string): () => void {
  services.add(baseUrl);
  globalThis.fetch = checkedFetch;
  return () => {
    services.delete(baseUrl);
    if (services.size === 0) globalThis.fetch = plainFetch;
  };
}

const checkedFetch: typeof fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const url = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  if (services.has(url.origin)) await check(method, url.pathname, response);
  return response;
};

async function check(method: string, path: string, response: Response): Promise<void> {
  const route = routes.find(({ pattern }) => pattern.test(path));
  const operation = route?.operations[method.toLowerCase()];
  if (!route || !operation) return;
  const { status } = response;
  const complain = (what: string): never => {
    throw new Error(
      `${method} ${route.path} answered ${status}: ${what} (openapi.json, ${operation.operationId})`,
    );
  };
  const key = operation.responses[status] ? String(status) : 'default';
  if (key === 'default' && !OF_ANY_ROUTE.has(status)) complain('a status that the document does not name');
  const pointer = pointerOf(['paths', route.path, method.toLowerCase(), 'responses', key]);
  const described = operation.responses[key] ?? {};
  const [place, content] = described.$ref
    ? [described.$ref.slice(1), referred(described.$ref).content]
    : [pointer, described.content];
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  if (!content)
    return type === '' ? undefined : complain(`a body of type ${type}, where the document has none`);
  if (!(type in content)) complain(`the type ${type}; the document has ${Object.keys(content).join(', ')}`);
  if (!type.endsWith('json')) return;
  const validate = validatorOf(`${place}${pointerOf(['content', type, 'schema'])}`);
  if (!validate(await response.clone().json())) complain(ajv.errorsText(validate.errors));
}

function referred(ref: string): DescribedResponse {
  return document.components.responses[ref.split('/').at(-1) ?? ''] ?? {};
}

function validatorOf(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known) return known;
  const validator = ajv.compile({ $ref: `${ID}#${encodeURI(pointer)}` });
  validators.set(pointer, validator);
  return validator;
}

/** How a value differs from a schema of the document; the empty string: it does not. */
export function errorsOf(schema: Json, value: unknown): string {
  const validate = ajv.compile(closed(absolute(schema)) as Json);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** With references that hold outside of the document. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' ? ID + String(member) : absolute(member),
    ]),
  );
}

function pointerOf(keys: string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The document, with no object of its schemas open to members that it does not name, unless it says so. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, closed(member)]),
  ) as Json;
  const isObject = copy.type === 'object' || (Array.isArray(copy.type) && copy.type.includes('object'));
  if (isObject && copy.properties !== undefined && copy.additionalProperties === undefined) {
    copy.additionalProperties = false;
  }
  return copy;
}
