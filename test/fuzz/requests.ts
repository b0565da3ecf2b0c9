import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import {
  JSON_TYPE,
  NASTY_BODIES,
  NASTY_CREDENTIALS,
  NASTY_HEADERS,
  NASTY_METHODS,
  NASTY_QUERY_VALUES,
  NASTY_SEGMENTS,
} from '../support/fakes/hostile-values.js';
import { fillIn, type Operation, readSchemas, type Schema } from '../support/rules/openapi.js';
import { hostileJson, hostileText, SECRET_MARK, validValue, type ValueOptions } from './values.js';

/** The sender of a request. The last three are different kinds of invalid credentials. */
const ACTORS = [
  'owner',
  'ownerSession',
  'editor',
  'viewer',
  'stranger',
  'none',
  'revokedKey',
  'expiredSession',
  'nonsense',
] as const;
export type Actor = (typeof ACTORS)[number];

/** A request before it is known which project it goes to. */
export interface FuzzRequest {
  operation: Operation;
  actor: Actor;
  method: string;
  /** Parameters that stay in braces are filled in with ids that exist. */
  path: string;
  query: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  /** Whether a webhook's body gets a signature that holds. */
  signed: boolean;
}

/** Event types of the webhook; the document does not describe the provider's own events. */
const EVENT_TYPES = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.payment_failed',
  'checkout.session.completed',
  'charge.dispute.created',
  'price.created',
  'nothing.known',
];
/** In place of a member that becomes hostile: what replaces it need not be JSON. */
const HOLE = '@@hole@@';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const UNKNOWN_BODY: Schema = { type: 'object', example: { name: 'x' } };

/** Any request to any of these routes of the OpenAPI document: good, almost good, and hostile. */
export function requestsTo(operations: Operation[], endpointUrl: string): Arbitrary<FuzzRequest> {
  const options: ValueOptions = { schemas: readSchemas(), endpointUrl };
  return fc.oneof(...operations.map((operation) => requestFor(operation, options)));
}

function requestFor(operation: Operation, options: ValueOptions): Arbitrary<FuzzRequest> {
  return fc
    .record({
      actor: actors(),
      method: mostly(fc.constant(operation.method), fc.constantFrom(...NASTY_METHODS, ...METHODS)),
      path: mostly(fc.constant(operation.path), pathsOf(operation)),
      query: queriesOf(operation, options),
      content: bodiesOf(operation, options),
      headers: headersOf(operation),
      signed: fc.boolean(),
    })
    .map(({ content, headers, ...rest }) => ({
      ...rest,
      operation,
      body: content.body,
      headers: { ...content.headers, ...headers },
    }));
}

/** One of them seven times of eight. */
function mostly<Value>(usual: Arbitrary<Value>, seldom: Arbitrary<Value>): Arbitrary<Value> {
  return fc.oneof({ arbitrary: usual, weight: 7 }, { arbitrary: seldom, weight: 1 });
}

/** Actors with more permissions are more frequent, or hardly any request would pass the guards. */
function actors(): Arbitrary<Actor> {
  const weighted = ACTORS.map((actor, index) => ({
    arbitrary: fc.constant(actor),
    weight: index < 2 ? 5 : 1,
  }));
  return fc.oneof(...weighted);
}

function pathsOf({ path }: Operation): Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const segment = fc.oneof(
    fc.constantFrom(...NASTY_SEGMENTS),
    fc.uuid(),
    hostileText().map(percentEncoded),
    fc.stringMatching(/^%[0-9a-f]{2}%[0-9A-F]{2}$/),
  );
  if (names.length === 0) {
    return fc.constantFrom(`${path}/`, `/${path}`, path.toUpperCase(), `${path}/%2e%2e`, `${path};a=1`);
  }
  return fc.tuple(fc.constantFrom(...names), segment).map(([name, value]) => fillIn(path, { [name]: value }));
}

/** Lone surrogates have no UTF-8: they go as the three bytes that naive encoders make of them. */
function percentEncoded(text: string): string {
  return [...text]
    .map((character) => (character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80'))
    .join('');
}

function queriesOf({ parameters }: Operation, options: ValueOptions): Arbitrary<string> {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const pairs = known.map(({ name, schema = {}, required = false }) => {
    const valid = validValue(schema, name, options).map(
      (value) => `${name}=${percentEncoded(String(value))}`,
    );
    return fc.option(mostly(valid, hostilePairs(name)), { freq: required ? 20 : 2, nil: '' });
  });
  const usual = fc.tuple(...pairs);
  const extra = fc.oneof(
    fc.constantFrom(
      '&&&===',
      '__proto__=1&constructor=1',
      'a=1&'.repeat(500),
      `key=${SECRET_MARK}-in-the-query`,
    ),
    hostilePairs('unknown'),
  );
  return fc
    .tuple(usual, fc.option(extra, { freq: 10, nil: '' }))
    .map(([parts, further]) => [...parts, further].filter((part) => part !== '').join('&'));
}

function hostilePairs(name: string): Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...NASTY_QUERY_VALUES).map((value) => `${name}=${value}`),
    hostileText().map((value) => `${name}=${percentEncoded(value)}`),
    fc.constantFrom(name, `${name}=1&${name}=2`, `${name}[]=1`, `${name}[a][b]=1`, `${name}.a=1`),
    fc.constant(`${name}=${SECRET_MARK}-in-a-parameter`),
  );
}

function headersOf({ parameters }: Operation): Arbitrary<Record<string, string>> {
  const own = parameters
    .filter((parameter) => parameter.in === 'header')
    .map(({ name }) => name.toLowerCase());
  // Bytes that a header may hold at all: Node's client sends no others.
  const value = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,40}$/).map((text) => text.trim());
  const ownHeaders = fc.record(
    Object.fromEntries(own.map((name) => [name, fc.oneof(value, fc.constantFrom('*', '"1"', 't=1,v1=00'))])),
    { requiredKeys: [] },
  );
  const hostile = fc.oneof(
    fc.constantFrom(...NASTY_HEADERS),
    fc.constantFrom(...NASTY_CREDENTIALS).map((authorization) => ({ authorization })),
    value.map((text) => ({ 'x-forwarded-for': text, origin: text, 'if-none-match': text })),
    value.map((cookie) => ({ cookie })),
  );
  return fc
    .tuple(mostly(fc.constant({}), hostile), ownHeaders)
    .map(([odd, wanted]) => ({ ...odd, ...wanted }) as Record<string, string>);
}

interface Content {
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

function bodiesOf(operation: Operation, options: ValueOptions): Arbitrary<Content> {
  const takesOne = operation.body !== null || operation.path.includes('/webhooks/');
  const seldom = rawBodies();
  if (!takesOne) {
    return fc.oneof({ arbitrary: fc.constant({ headers: {}, body: undefined }), weight: 9 }, seldom);
  }
  const valid = operation.path.includes('/webhooks/')
    ? webhookEvents()
    : validValue(operation.body ?? UNKNOWN_BODY, '', options);
  const type = mostly(
    fc.constant(JSON_TYPE as Record<string, string>),
    fc.constantFrom<Record<string, string>>(
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/problem+json' },
      {},
    ),
  );
  const json = fc.oneof(
    { arbitrary: valid.map((value) => JSON.stringify(value)), weight: 5 },
    { arbitrary: valid.chain(withOneHostileMember), weight: 5 },
    {
      arbitrary: fc.tuple(valid, fc.nat(200)).map(([value, at]) => JSON.stringify(value).slice(0, at)),
      weight: 1,
    },
    { arbitrary: hostileJson(), weight: 1 },
  );
  const content = fc.record({ headers: type, body: json });
  return fc.oneof({ arbitrary: content, weight: 9 }, { arbitrary: seldom, weight: 1 });
}

function rawBodies(): Arbitrary<Content> {
  return fc.oneof(
    fc.constantFrom(...NASTY_BODIES).map(({ headers = {}, body }) => ({ headers, body })),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ headers: JSON_TYPE, body: Buffer.from(bytes) })),
  );
}

/** The value as JSON with one member, however deep, replaced, doubled or joined by an unknown one. */
function withOneHostileMember(value: unknown): Arbitrary<string> {
  const places = placesIn(value);
  return fc
    .record({
      place: fc.nat(Math.max(0, places.length - 1)),
      member: hostileJson(),
      name: fc.constantFrom('', '', '__proto__', 'constructor', 'unknown', '\u0000', '\ud800'),
    })
    .map(({ place, member, name }) => {
      if (name !== '' || places.length === 0) {
        const rest = JSON.stringify(value).slice(1);
        return `{${JSON.stringify(name)}:${member}${rest === '}' ? '' : ','}${rest}`;
      }
      const holed = structuredClone(value);
      const path = places[place] ?? [];
      const parent = path
        .slice(0, -1)
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], holed);
      (parent as Record<string, unknown>)[path.at(-1) ?? ''] = HOLE;
      const holder = path.at(-1) ?? '';
      // A secret of the wrong type is a secret all the same, and nowhere else one would stay none.
      const hostile = /password|token/i.test(holder) ? `[${member}, "${SECRET_MARK}-in-an-array"]` : member;
      return JSON.stringify(holed).replace(`"${HOLE}"`, () => hostile);
    });
}

function placesIn(value: unknown, above: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    [...above, key],
    ...placesIn(member, [...above, key]),
  ]);
}

function webhookEvents(): Arbitrary<unknown> {
  return fc.record({
    id: fc.uuid().map((id) => `evt_${id.replaceAll('-', '')}`),
    object: fc.constant('event'),
    type: fc.constantFrom(...EVENT_TYPES),
    created: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
    data: fc.record({
      object: fc.record(
        {
          id: fc.constantFrom('sub_{projectId}', 'sub_1', 'in_1', 'cs_1', 'price_1'),
          object: fc.constantFrom('subscription', 'invoice', 'checkout.session', 'price'),
          status: fc.constantFrom('active', 'past_due', 'canceled', 'nothing_known'),
          customer: fc.constantFrom('cus_{projectId}', 'cus_1'),
          metadata: fc.dictionary(
            fc.constantFrom('project_id', 'projectId'),
            fc.oneof(fc.constant('{projectId}'), fc.uuid()),
            { maxKeys: 2 },
          ),
          items: fc.constant({ data: [{ price: { id: 'price_1' }, current_period_end: 1_900_000_000 }] }),
          subscription: fc.constantFrom('sub_{projectId}', 'sub_2'),
        },
        { requiredKeys: ['id', 'object'] },
      ),
    }),
  });
}
