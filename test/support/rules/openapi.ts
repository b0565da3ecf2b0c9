import { readFileSync } from 'node:fs';

/** One operation of the committed OpenAPI document. */
export interface Operation {
  operationId: string;
  method: string;
  /** With parameters in braces, e.g. `/v1/projects/{projectId}`. */
  path: string;
  queryNames: string[];
  /** A body that is valid by its schema; null where the route takes none. */
  example: Record<string, unknown> | null;
  parameters: Parameter[];
  /** Of the body; null where the document names none. */
  body: Schema | null;
  /** Statuses that the document names. */
  statuses: number[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  example?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  required?: string[];
  allOf?: Schema[];
  additionalProperties?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters?: Parameter[];
        requestBody?: { content: Record<string, { schema: Schema }> };
        responses: Record<string, unknown>;
      }
    >
  >;
  components: { schemas: Record<string, Schema> };
}

/** Every operation of `openapi.json`. */
export function readOperations(): Operation[] {
  const document = readDocument();
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, responses }]) => {
      const [content] = Object.values(requestBody?.content ?? {});
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        queryNames: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        example: content ? (exampleOf(content.schema, document) as Record<string, unknown>) : null,
        parameters,
        body: content?.schema ?? null,
        statuses: Object.keys(responses).map(Number),
      };
    }),
  );
}

function readDocument(): Document {
  return JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;
}

/** The schemas that `$ref` names, by their names. */
export function readSchemas(): Record<string, Schema> {
  return readDocument().components.schemas;
}

/** The path with its parameters filled in; parameters without a value are unchanged. */
export function fillIn(path: string, values: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function exampleOf(schema: Schema, document: Document): unknown {
  if (schema.$ref)
    return exampleOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, document);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {}, document);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, member]) => [name, exampleOf(member, document)]),
      );
    case 'array':
      return schema.items ? [exampleOf(schema.items, document)] : [];
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return 1;
    default:
      if (schema.format === 'date-time') return '2026-11-20T00:00:00Z';
      if (schema.format === 'email') return 'somebody@example.com';
      return 'x'.repeat(schema.minLength ?? 8);
  }
}
