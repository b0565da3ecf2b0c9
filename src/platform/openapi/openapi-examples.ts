import { createHash } from 'node:crypto';

type Json = Record<string, unknown>;

interface Schema extends Json {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** The property of a value, and the schema that has the property. */
interface Place {
  owner: string;
  property: string;
}

/** The time of properties that have no example. */
const INSTANT = '2026-12-01T09:30:00.000Z';
/** Ids that also occur in examples of bodies and documents. */
const KNOWN_IDS: Record<string, string> = {
  projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
  consentId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20',
  record_id: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20',
};
const UUID_HEAD = '01938c5e-7a3b-7c11-9f00-';
const UUID_TAIL_DIGITS = 12;

/**
 * Adds an example to each JSON response without one, composed from the examples of the properties
 * in its schema. A property with neither an example nor a value in its schema is left out: the test
 * of the document then reports it.
 */
export function addResponseExamples(responses: Iterable<Json>, schemas: Record<string, unknown>): void {
  for (const { content = {} } of responses) {
    for (const [type, media] of Object.entries(
      content as Record<string, { schema: Schema; example?: unknown }>,
    )) {
      if (!type.endsWith('json') || media.example !== undefined) continue;
      media.example = compose(media.schema, { owner: '', property: '' }, schemas as Record<string, Schema>);
    }
  }
}

function compose(schema: Schema, place: Place, schemas: Record<string, Schema>): unknown {
  if (schema.$ref !== undefined) {
    const owner = schema.$ref.split('/').at(-1) ?? '';
    return compose(schemas[owner] ?? {}, { ...place, owner }, schemas);
  }
  if (schema.example !== undefined) return schema.example;
  const [branch] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (branch) return compose(branch, place, schemas);
  const types = [schema.type].flat();
  if (types.includes('null')) return null;
  if (schema.enum) return schema.enum[0];
  if (schema.items) return [compose(schema.items, place, schemas)].filter((item) => item !== undefined);
  if (schema.properties) return composeMembers(schema.properties, place, schemas);
  if (schema.default !== undefined) return schema.default;
  return types[0] === 'boolean' ? true : valueOfFormat(schema.format, place);
}

function composeMembers(
  properties: Record<string, Schema>,
  { owner }: Place,
  schemas: Record<string, Schema>,
): Json {
  return Object.fromEntries(
    Object.entries(properties)
      .map(([property, schema]) => [property, compose(schema, { owner, property }, schemas)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

function valueOfFormat(format: string | undefined, { owner, property }: Place): string | undefined {
  if (format === 'date-time') return INSTANT;
  if (format === 'email') return 'owner@shop.example';
  if (format !== 'uuid') return undefined;
  const noun = owner.replaceAll(
    /^(My|Own|Created|Withheld|Member(?=ApiKey))|(Status|Details|Receipt)?(Dto|View)$/g,
    '',
  );
  return exampleId(property === 'id' ? `${noun[0]?.toLowerCase()}${noun.slice(1)}Id` : property);
}

/** The same id for the same name in all examples. */
export function exampleId(name: string): string {
  const digits = createHash('sha256').update(name).digest('hex');
  return KNOWN_IDS[name] ?? UUID_HEAD + digits.slice(0, UUID_TAIL_DIGITS);
}
