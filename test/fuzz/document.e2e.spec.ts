import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isExplained } from '../support/rules/document-rules.js';
import { type RawAnswer, RawClient } from '../support/fakes/raw-request.js';
import {
  brokenRequests,
  type DocumentOperation,
  type DocumentRequest,
  HEADERS_OF_ANY_RESPONSE,
  headersNamed,
  OPERATIONS,
  validRequests,
} from './document-requests.js';
import { DocumentWorld, fromAnywhere, type Stage, type Supplied } from './document-world.js';

/** Set by `npm run fuzz`; part of the suite's name. */
const SEED =
  process.env['FUZZ_SEED'] === 'random' ? randomInt(2 ** 31) : Number(process.env['FUZZ_SEED'] ?? 5);

/**
 * Requests to each operation: valid with existing values, valid by the document, and broken in one
 * place.
 */
const SUPPLIED = 1;
const BY_DOCUMENT = 6;
const BROKEN = 12;
/** A net, not a measure. */
const ANSWER_MAX_MS = 120_000;
const SHOWN_CHARACTERS = 600;

/** What HTTP says of a message as such. */
const OF_HTTP = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-type',
]);
/**
 * Succeed only after a log was lost (test/evidence/sequencing.slow.spec.ts continues one), or after an endpoint has failed
 * (test/forwarding/response-bodies.e2e.spec.ts).
 */
const AFTER_A_LOSS = new Set([
  'logContinues',
  'rootLogContinues',
  'deliveryResponseBody',
  'eventEndpointResponseBody',
]);
const REFUSALS_OF_FORM = [400, 415, 422];

let world: DocumentWorld;
let client: RawClient;

beforeAll(async () => {
  world = await DocumentWorld.start();
  client = new RawClient(world.service.baseUrl, { connectionsMax: 4, timeoutMs: ANSWER_MAX_MS });
});
afterAll(async () => {
  client.close();
  await world.close();
});

/** The request with existing values instead of the document's examples. */
function withSupplied(request: DocumentRequest, supplied: Supplied): DocumentRequest {
  const { body } = request;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return {
    ...request,
    params: { ...request.params, ...supplied.params },
    query: withoutUndefined({ ...request.query, ...supplied.query, cursor: undefined }),
    headers: withoutUndefined({ ...request.headers, 'If-Match': undefined }) as Record<string, string>,
    body: isObject ? JSON.parse(JSON.stringify({ ...body, ...supplied.body })) : body,
  };
}

function withoutUndefined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

async function send(
  operation: DocumentOperation,
  request: DocumentRequest,
  stage: Stage,
  supplied: Supplied,
): Promise<RawAnswer> {
  const { params, query, headers, body, mediaType } = request;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(params[name]).split('/').map(encodeURIComponent).join('/'),
  );
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams(pairs).toString();
  const text = body === undefined ? undefined : (supplied.text ?? JSON.stringify(body));
  return client.send({
    method: operation.method,
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      ...fromAnywhere(),
      ...headers,
      ...world.credentialOf(operation, stage, supplied),
      ...(mediaType !== '' && { 'content-type': mediaType }),
      ...supplied.headers?.(text ?? ''),
    },
    body: text,
  });
}

/** Undocumented parts of a response. */
function unnamed(operation: DocumentOperation, { status, headers, text }: RawAnswer): string[] {
  if (status >= 500) return [`${status} ${text}`];
  const named = headersNamed(operation, status);
  if (!named) return [`the status ${status}`];
  return Object.keys(headers)
    .filter((name) => !named.has(name) && !HEADERS_OF_ANY_RESPONSE.has(name) && !OF_HTTP.has(name))
    .map((name) => `the header ${name} of ${status}`);
}

/** Problems of the responses to requests of one operation; empty: none. */
async function complaintsAbout(operation: DocumentOperation): Promise<unknown[]> {
  const { operationId } = operation;
  const stage = await world.stage(operation);
  const complaints: unknown[] = [];
  const judge = (what: string, request: DocumentRequest, answer: RawAnswer, isRight: boolean): void => {
    const all = [...(isRight ? [] : [`${what}: ${answer.status}`]), ...unnamed(operation, answer)];
    const shown = [JSON.stringify(request), answer.text].map((text) => text.slice(0, SHOWN_CHARACTERS));
    for (const complaint of all) complaints.push([complaint, what, ...shown]);
  };
  const valid = fc.sample(validRequests(operation), { seed: SEED, numRuns: SUPPLIED + BY_DOCUMENT });
  const statuses: number[] = [];
  for (const [index, given] of valid.entries()) {
    const supplied = index < SUPPLIED ? await world.supply(operation, stage) : {};
    const params = { ...given.params, projectId: stage.project.id };
    const request = index < SUPPLIED ? withSupplied(given, supplied) : { ...given, params };
    const answer = await send(operation, request, stage, supplied);
    statuses.push(answer.status);
    const isRefused = REFUSALS_OF_FORM.includes(answer.status) && !isExplained(operationId, answer.text);
    judge('valid', request, answer, !isRefused);
  }
  if (!AFTER_A_LOSS.has(operationId) && !statuses.some((status) => status < 300))
    complaints.push(['never succeeded', statuses]);
  const supplied = await world.supply(operation, stage);
  const broken = valid.flatMap((given) => brokenRequests(operation, withSupplied(given, supplied)));
  const length = Math.min(BROKEN, broken.length);
  const some = fc.shuffledSubarray(broken, { minLength: length, maxLength: length });
  for (const request of fc.sample(some, { seed: SEED, numRuns: 1 }).flat()) {
    const answer = await send(operation, request, stage, supplied);
    judge(request.what, request, answer, answer.status >= 400 && answer.status < 500);
  }
  return complaints;
}

describe(`requests made of openapi.json for each operation, seed ${SEED}`, () => {
  it('are made for all of them', () => {
    expect(OPERATIONS.length).toBeGreaterThan(120);
  });

  it.each(OPERATIONS)(
    '$operationId: takes what is valid, refuses what is broken in one place, and returns what is named',
    async (operation) => {
      expect(await complaintsAbout(operation)).toEqual([]);
    },
  );
});
