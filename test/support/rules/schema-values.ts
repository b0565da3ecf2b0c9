import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

/** A schema of JSON Schema 2020-12, as far as `openapi.json` uses it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  not?: JsonSchema;
}

/** A value that breaks its schema in one place. */
export interface Broken {
  value: unknown;
  /** e.g. `texts.0.title: too long` */
  what: string;
}

/** As many more characters or items than the least one gets; more are sent where the test is about the most. */
const LENGTH_SPREAD = 12;
const ITEMS_SPREAD = 2;
/** Lists and texts beyond a bound that is larger than this are not made. */
const LENGTH_MAX = 20_000;
const DEPTH_MAX = 6;
const FILTER_TRIES = 200;
const ID = 'document';

/** Generates values that are valid by the committed `openapi.json`, and invalid ones. */
export class SchemaValues {
  private readonly document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Record<string, unknown>;
  private readonly ajv = new Ajv2020({ strict: false });
  private readonly validators = new Map<JsonSchema, ValidateFunction>();

  constructor() {
    formats.default(this.ajv);
    this.ajv.addSchema({ $id: ID, ...this.document });
  }

  isValid(schema: JsonSchema, value: unknown): boolean {
    let validator = this.validators.get(schema);
    if (!validator) {
      validator = this.ajv.compile(absolute(schema) as JsonSchema);
      this.validators.set(schema, validator);
    }
    return validator(value) === true;
  }

  /** Values that are valid by the schema, those at its bounds more often than others. */
  valid(schema: JsonSchema): Arbitrary<unknown> {
    let tries = 0;
    return this.candidate(schema, 0).filter((value) => {
      tries = this.isValid(schema, value) ? 0 : tries + 1;
      if (tries > FILTER_TRIES) throw new Error(`Cannot make values of ${JSON.stringify(schema)}`);
      return tries === 0;
    });
  }

  /** A value with each change of one place that makes it invalid. */
  breaking(schema: JsonSchema, value: unknown): Broken[] {
    return this.changesOf(schema, value, '').filter((change) => !this.isValid(schema, change.value));
  }

  /** A valid value with one change that makes it invalid; null where the schema takes anything. */
  broken(schema: JsonSchema): Arbitrary<Broken | null> {
    return this.valid(schema).chain((value) => {
      const broken = this.breaking(schema, value);
      return broken.length === 0 ? fc.constant(null) : fc.constantFrom(...broken);
    });
  }

  resolve(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined) return schema;
    return schema.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document) as JsonSchema;
  }

  private candidate(given: JsonSchema, depth: number): Arbitrary<unknown> {
    const schema = this.resolve(given);
    const { anyOf, oneOf, allOf, ...rest } = schema;
    const branches = anyOf ?? oneOf;
    if (branches)
      return fc.oneof(...branches.map((branch) => this.candidate(merged(rest, this.resolve(branch)), depth)));
    if (allOf)
      return this.candidate(
        allOf.reduce<JsonSchema>((all, part) => merged(all, this.resolve(part)), rest),
        depth,
      );
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const types = [schema.type ?? typeByKeywords(schema)].flat();
    return fc.oneof(...types.map((type) => this.ofType(type, schema, depth)));
  }

  private ofType(type: string | undefined, schema: JsonSchema, depth: number): Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number':
        return integers(schema);
      case 'string':
        return strings(schema);
      case 'array':
        return this.lists(schema, depth);
      case 'object':
        return this.objects(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 1 });
    }
  }

  private lists(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const { minItems = 0, maxItems = Infinity, items = {}, uniqueItems } = schema;
    const bounds = {
      minLength: minItems,
      maxLength: Math.min(maxItems, minItems + (depth < DEPTH_MAX ? ITEMS_SPREAD : 0)),
    };
    const item = this.candidate(items, depth + 1);
    return uniqueItems
      ? fc.uniqueArray(item, { ...bounds, selector: (value) => JSON.stringify(value) })
      : fc.array(item, bounds);
  }

  private objects(schema: JsonSchema, depth: number): Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties = true, propertyNames = {} } = schema;
    const known = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, this.candidate(member, depth + 1)]),
    );
    const own = fc.record(known, {
      requiredKeys: required.filter((name) => name in known),
      noNullPrototype: true,
    });
    if (additionalProperties === false) return own;
    const name = propertyNames.enum
      ? fc.constantFrom(...(propertyNames.enum as string[]))
      : fc.stringMatching(/^[a-z]{1,12}$/).filter((each) => !(each in properties));
    const member = this.candidate(additionalProperties === true ? {} : additionalProperties, depth + 1);
    return fc
      .tuple(fc.dictionary(name, member, { maxKeys: 2, noNullPrototype: true }), own)
      .map(([further, members]) => ({ ...further, ...members }));
  }

  /** Changes of one place each, some of which are still valid. */
  private changesOf(given: JsonSchema, value: unknown, path: string): Broken[] {
    const schema = this.merge(given);
    const at = (what: string, changed: unknown): Broken => ({
      value: changed,
      what: `${path || '.'}: ${what}`,
    });
    const others = [null, true, 0, 'x', [], {}].map((other) => at(JSON.stringify(other), other));
    if (typeof value === 'string')
      return [...others, ...brokenTexts(schema, value).map(([w, v]) => at(w, v))];
    if (typeof value === 'number') {
      const { minimum = 0, maximum = 0 } = schema;
      const numbers = [minimum - 1, maximum + 1, value + 0.5, String(value)];
      return [...others, ...numbers.map((other) => at(JSON.stringify(other), other))];
    }
    if (Array.isArray(value)) return [...others, ...this.changesOfList(schema, value, path, at)];
    if (typeof value !== 'object' || value === null) return others;
    const object = value as Record<string, unknown>;
    const members = Object.entries(object).flatMap(([name, member]) => {
      const { [name]: _, ...without } = object;
      const further = schema.additionalProperties;
      const own = schema.properties?.[name] ?? (typeof further === 'object' ? further : {});
      return [
        at(`without ${name}`, without),
        ...this.changesOf(own, member, path === '' ? name : `${path}.${name}`).map((change) => ({
          what: change.what,
          value: { ...object, [name]: change.value },
        })),
      ];
    });
    return [...others, at('an unknown member', { ...object, unknownMember: 1 }), ...members];
  }

  private changesOfList(
    schema: JsonSchema,
    list: unknown[],
    path: string,
    at: (what: string, changed: unknown) => Broken,
  ): Broken[] {
    const { maxItems = Infinity, items = {} } = schema;
    const changes = [at('no items', []), at('the first item twice', [...list, ...list.slice(0, 1)])];
    if (list.length > 0 && maxItems < LENGTH_MAX)
      changes.push(
        at(
          'too many items',
          Array.from({ length: maxItems + 1 }, () => list[0]),
        ),
      );
    const inside = list.flatMap((item, index) =>
      this.changesOf(items, item, path === '' ? String(index) : `${path}.${index}`).map((change) => ({
        what: change.what,
        value: list.with(index, change.value),
      })),
    );
    return [...changes, ...inside];
  }

  /** The schema merged with its branches, to list its members. */
  private merge(given: JsonSchema): JsonSchema {
    const { anyOf = [], oneOf = [], allOf = [], ...rest } = this.resolve(given);
    return [...anyOf, ...oneOf, ...allOf]
      .map((part) => this.merge(part))
      .filter(({ type }) => type !== 'null')
      .reduce(merged, rest);
  }
}

function merged(one: JsonSchema, other: JsonSchema): JsonSchema {
  return {
    ...one,
    ...other,
    ...((one.properties ?? other.properties) && { properties: { ...one.properties, ...other.properties } }),
    ...((one.required ?? other.required) && {
      required: [...(one.required ?? []), ...(other.required ?? [])],
    }),
  };
}

function typeByKeywords(schema: JsonSchema): string | undefined {
  if (schema.properties ?? schema.required) return 'object';
  if (schema.pattern ?? schema.format ?? schema.maxLength) return 'string';
  return undefined;
}

/** With references that hold outside of the document. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' ? `${ID}${String(member)}` : absolute(member),
    ]),
  );
}

function integers({ minimum = -10, maximum = 1000 }: JsonSchema): Arbitrary<number> {
  // fast-check takes 32 bits and more, but does not always prefer the bounds.
  return fc.oneof(
    fc.maxSafeInteger().map((n) => minimum + (Math.abs(n) % (maximum - minimum + 1))),
    fc.constantFrom(minimum, maximum),
  );
}

/** A pattern without the words that it excludes at its start, which fast-check cannot avoid. */
function withoutExceptions({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replace(/^\^\(\?!(?:[^()]|\([^()]*\))*\)/, '^'), flags);
}

function strings(schema: JsonSchema): Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema;
  const matches = pattern === undefined ? null : new RegExp(pattern, 'u');
  const isLong = (text: string): boolean => [...text].length >= minLength && [...text].length <= maxLength;
  const fits = (text: string): boolean => isLong(text) && (matches?.test(text) ?? true);
  const byFormat = format === undefined ? undefined : FORMATS[format];
  if (byFormat) return byFormat.filter(fits);
  const most = Math.min(maxLength, minLength + LENGTH_SPREAD);
  if (matches) {
    const bounds = [minLength, most].flatMap((length) =>
      ['a', 'A', '1', 'é', '😀'].map((c) => c.repeat(length)),
    );
    const longest = maxLength < LENGTH_MAX ? ['a', '1', '😀'].map((c) => c.repeat(maxLength)) : [];
    const edges = [...bounds, ...longest].filter(fits);
    // Short ones are lengthened: a long minimum is hardly ever met by chance.
    const matching = fc
      .stringMatching(withoutExceptions(matches), { size: '-1' })
      .map((text) => text.padEnd(minLength, 'a'))
      .filter(fits);
    return edges.length === 0
      ? matching
      : fc.oneof({ arbitrary: matching, weight: 4 }, { arbitrary: fc.constantFrom(...edges), weight: 1 });
  }
  const lengths = { minLength, maxLength: most };
  const edges = [minLength, ...(maxLength < LENGTH_MAX ? [maxLength] : [])];
  return fc.oneof(
    fc.string({ ...lengths, unit: 'grapheme-ascii' }),
    fc.string({ ...lengths, unit: 'grapheme' }).filter(fits),
    fc.string({ ...lengths, unit: 'binary' }).filter(fits),
    fc.constantFrom(...edges).chain((length) => fc.constantFrom('a', '😀', ' ').map((c) => c.repeat(length))),
  );
}

const instants = fc.date({
  min: new Date('1970-01-01T00:00:00Z'),
  max: new Date('2120-01-01T00:00:00Z'),
  noInvalidDate: true,
});

const FORMATS: Record<string, Arbitrary<string>> = {
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid({ version: 7 }),
    fc.uuid().map((id) => id.toUpperCase()),
  ),
  date: instants.map((at) => at.toISOString().slice(0, 10)),
  'date-time': fc.oneof(
    instants.map((at) => at.toISOString()),
    fc
      .tuple(instants, fc.integer({ min: -12 * 60, max: 14 * 60 }))
      .map(([at, minutes]) => at.toISOString().slice(0, 19) + offsetOf(minutes)),
  ),
  email: fc.oneof(
    fc.uuid().map((id) => `${id}@example.com`),
    fc.emailAddress(),
  ),
  uri: fc.webUrl({ validSchemes: ['https', 'http'] }),
};

function offsetOf(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

function brokenTexts(schema: JsonSchema, text: string): [what: string, value: string][] {
  const { minLength = 0, maxLength = Infinity } = schema;
  const changes: [string, string][] = [
    ['empty', ''],
    ['a blank', ' '],
    ['a control character', `${text}\u0001`],
    ['a dash in front', `-${text}`],
    ['a blank inside', `${text.slice(0, 2)} ${text.slice(2)}`],
    ['a calendar day that is none', '2026-02-30'],
    ['a calendar day that is none', '2026-02-30T00:00:00Z'],
    ['a time that is none', '2026-02-03T25:00:00Z'],
    ['a time without a zone', '2026-02-03T05:00:00'],
    ['a calendar day', '2026-02-03'],
    ['a year too early', '1999-12-31T23:59:59Z'],
    ['another case', text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()],
  ];
  if (minLength > 0) changes.push(['too short', 'a'.repeat(minLength - 1)]);
  if (maxLength < LENGTH_MAX) changes.push(['too long', text + 'a'.repeat(maxLength + 1 - [...text].length)]);
  return changes;
}
