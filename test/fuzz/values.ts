import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { NASTY_VALUES } from '../support/fakes/hostile-values.js';
import type { Schema } from '../support/rules/openapi.js';
import { makeVisitorKey } from '../support/people/visitor-key.js';

/** Part of every secret that the fuzz generates, so that one search finds them all. */
export const SECRET_MARK = 'fuzzsecret0';

/** Of the one visitor of a run. */
export const VISITOR = makeVisitorKey();

const TEXT_CHARACTERS_MAX = 40;
const ITEMS_MAX = 4;
const HOSTILE_DEPTH_MAX = 5;
const BEARER_TOKEN_CHARACTERS = 43;

/** The source of a run's valid values. */
export interface ValueOptions {
  schemas: Record<string, Schema>;
  /** An endpoint that may be reached. */
  endpointUrl: string;
}

/** A value that is valid by the schema. `name` is the member that it is for. */
export function validValue(schema: Schema, name: string, options: ValueOptions): Arbitrary<unknown> {
  const wanted = schema.$ref
    ? (options.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
    : schema.properties
      ? schema
      : (schema.allOf?.[0] ?? schema.anyOf?.[0] ?? schema);
  if (wanted !== schema) return validValue(wanted, name, options);
  const value = ofType(schema, name, options);
  return schema.type?.includes('null') ? fc.option(value, { freq: 8 }) : value;
}

function ofType(schema: Schema, name: string, options: ValueOptions): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objectOf(schema, options);
    case 'array':
      return fc.array(validValue(schema.items ?? { type: 'string' }, name, options), {
        maxLength: ITEMS_MAX,
      });
    case 'boolean':
      return fc.boolean();
    case 'number':
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -10, max: schema.maximum ?? 1000 });
    default:
      return textOf(schema, name, options);
  }
}

function objectOf(schema: Schema, options: ValueOptions): Arbitrary<unknown> {
  if (schema.properties) {
    const members = Object.entries(schema.properties).map(
      ([name, member]) => [name, validValue(member, name, options)] as const,
    );
    return fc.record(Object.fromEntries(members), { requiredKeys: schema.required ?? [] });
  }
  // An open object, described by an example only: the consent record with its additional fields.
  return fc
    .record({
      known: fc.constant(schema.example ?? {}),
      choice: fc.record({ analytics: fc.boolean(), marketing: fc.boolean(), preferences: fc.boolean() }),
      further: fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), fc.jsonValue({ maxDepth: 2 }), {
        maxKeys: 3,
      }),
    })
    .map(({ known, choice, further }) => ({ ...further, ...(known as object), ...choice }));
}

function textOf(schema: Schema, name: string, { endpointUrl }: ValueOptions): Arbitrary<string> {
  if (/password$/i.test(name)) return fc.uuid().map((id) => `${SECRET_MARK}-${id}`);
  if (name === 'bearerToken')
    return fc.uuid().map((id) => `${SECRET_MARK}-${id}`.padEnd(BEARER_TOKEN_CHARACTERS, '-'));
  if (name === 'visitorKey') return fc.constantFrom(VISITOR.visitorKey, makeVisitorKey().visitorKey);
  if (name === 'visitorKeyHash') return fc.constant(VISITOR.visitorKeyHash);
  // Filled in with one that exists.
  if (name === 'projectId') return fc.constant('{projectId}');
  if (name === 'endpointUrl') return fc.constantFrom(endpointUrl, `${endpointUrl}/other`);
  if (schema.format === 'email') return fc.uuid().map((id) => `${id}@example.com`);
  if (schema.format === 'uuid') return fc.uuid({ version: 7 });
  if (schema.format === 'date-time') return instant();
  const minLength = schema.minLength ?? 0;
  const text = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.min(schema.maxLength ?? Infinity, minLength + TEXT_CHARACTERS_MAX),
  });
  return typeof schema.example === 'string' ? fc.oneof(fc.constant(schema.example), text) : text;
}

function instant(): Arbitrary<string> {
  const min = new Date('2026-01-01T00:00:00Z');
  const max = new Date('2027-12-31T00:00:00Z');
  return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
}

/** JSON text of a wrong type for a member; not all of it survives `JSON.stringify`. */
export function hostileJson(): Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...NASTY_VALUES),
    fc.json({ maxDepth: HOSTILE_DEPTH_MAX }),
    hostileText().map((text) => JSON.stringify(text)),
    // A lone backslash escape, and control characters that JSON does not allow bare.
    fc.string({ unit: 'binary' }).map((text) => `"${text}"`),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
    fc.double().map(String),
  );
}

/** Text of any code units: NUL, lone surrogates, direction marks. */
export function hostileText(): Arbitrary<string> {
  const units = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.constantFrom(0, 0xd800, 0xdfff, 0x202e, 0xfeff, 0x27, 0x25, 0x5c),
  );
  return fc.oneof(
    fc.array(units, { maxLength: 20 }).map((all) => String.fromCharCode(...all)),
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '$ne', '../..'),
    fc.webUrl(),
    fc.emailAddress(),
    fc.ipV6(),
  );
}
