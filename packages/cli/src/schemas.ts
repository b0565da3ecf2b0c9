import { readFileSync } from 'node:fs';
import addFormats, { type FormatsPlugin } from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The part of JSON Schema that `docs/schemas` uses to describe shapes. */
interface Schema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  $defs?: Record<string, Schema>;
}

export const RESOURCES = ['configuration', 'forwarding', 'events', 'privacy', 'scan-schedule'] as const;
export type ResourceName = (typeof RESOURCES)[number];
export type Content = Record<string, unknown>;

/** Built from the service's contract of this version. */
const schemas = Object.fromEntries(
  RESOURCES.map((name) => [
    name,
    JSON.parse(readFileSync(new URL(`./schemas/${name}.json`, import.meta.url), 'utf8')) as Schema,
  ]),
) as Record<ResourceName, Schema>;

const validators = new Map<ResourceName, ValidateFunction>();

/** The problems of a file's content, each with the member that it is about; empty: valid. */
export function problemsOf(resource: ResourceName, content: unknown): string[] {
  const validate = validators.get(resource) ?? compile(schemas[resource]);
  validators.set(resource, validate);
  if (validate(content)) return [];
  return (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .map(({ instancePath, message, params }) => {
      const { additionalProperty } = params as { additionalProperty?: string };
      const path = additionalProperty === undefined ? instancePath : `${instancePath}/${additionalProperty}`;
      const sentence = additionalProperty === undefined ? (message ?? 'is not valid') : 'is not known';
      return `${path === '' ? 'the file' : path.slice(1).replaceAll('/', '.')} ${sentence}`;
    });
}

function compile(schema: Schema): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  (addFormats as unknown as FormatsPlugin)(ajv);
  return ajv.compile(schema);
}

/** Of a response, the members that a file has. */
export function editable(resource: ResourceName, response: unknown): Content {
  const root = schemas[resource];
  return pick(response, root) as Content;

  function pick(value: unknown, given: Schema): unknown {
    const schema = resolve(given);
    if (Array.isArray(value))
      return schema.items ? value.map((item) => pick(item, schema.items ?? {})) : value;
    if (typeof value !== 'object' || value === null || !schema.properties) return value;
    const { properties } = schema;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name in properties)
        .map(([name, member]) => [name, pick(member, properties[name] ?? {})]),
    );
  }

  /** Follows references, also those beside a null. */
  function resolve(schema: Schema): Schema {
    if (schema.$ref !== undefined) return resolve(root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {});
    if (schema.properties || schema.items) return schema;
    const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])].find(({ $ref }) => $ref !== undefined);
    return inner ? resolve(inner) : schema;
  }
}
