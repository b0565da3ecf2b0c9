import { createHash } from 'node:crypto';
import type { INestApplication, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { dump } from 'js-yaml';
import { sendCompressed } from '../http/file-answer.js';
import { securityHeaders } from '../http/final-headers.js';
import { BRAND } from '../identity/brand.js';
import { API_KEY_SCHEME, SESSION_SCHEME } from './api-description.js';
import { completeContract } from './openapi-contract.js';
import { checkedClasses, rulesOf, schemasOfMembers } from './schema-of-checks.js';

/** Descriptions of the groups of routes. */
const TAGS: Record<string, string> = {
  'Sign-in': 'User accounts and sessions',
  Projects: 'Projects: one per website or group of websites',
  Audit: 'Audit log',
  Members: 'Project members and their roles',
  Organizations: 'Organizations of several projects, with members and roles',
  'API keys': 'API keys, each for one project',
  Consents: 'Consent records: stored by the banner, read and exported by the project',
  Privacy: 'Find and erase the records of a visitor',
  Visitors: 'What visitors can do with their own records, using the key stored on their device',
  Analytics: 'Consent counts and rates',
  Forwarding: "Forwarding of records to the project's endpoint, and the delivery log",
  Licensing: 'Tiers, prices, and features',
  Billing: "Subscriptions and the billing provider's webhooks",
  Publishing: 'Banner configuration and its publications',
  CDN: 'Files that the website loads',
};

/** Names of operations whose handler and controller don't describe them well. */
const OPERATION_IDS: Record<string, string> = {
  ExportController_export: 'consentExport',
  AnalyticsController_consents: 'consentAnalytics',
};

/** Describes the current API; the committed `openapi.json` is this document. */
function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(`${BRAND} consent API`)
    .setDescription(
      'Stores visitors’ consent records and forwards each one to the owner’s HTTPS endpoint. ' +
        'Errors are problem documents (RFC 9457) with a stable `code`. Lists are `{ items, nextCursor }`. ' +
        'A path that does not know a method returns 405 with `Allow`. `x-response-headers` names the security headers ' +
        'that every response may carry beside those of its operation.',
    )
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'The server of this document')
    .addSecurity(API_KEY_SCHEME, {
      type: 'http',
      scheme: 'bearer',
      description: 'API key of a project, or a personal token',
    })
    .addSecurity(SESSION_SCHEME, {
      type: 'apiKey',
      in: 'cookie',
      name: 'auth.session_token',
      description: 'Set by signing in. Over https its name is `__Host-auth.session_token`.',
    });
  for (const [name, description] of Object.entries(TAGS)) config.addTag(name, description);
  const document = SwaggerModule.createDocument(app, config.build(), { operationIdFactory: operationId });
  addChecks(document, app, operationId);
  const headers = securityHeaders(true).filter((_, at) => at % 2 === 0);
  return { ...completeContract(document), 'x-response-headers': headers } as OpenAPIObject;
}

/** `ProjectController.create` ─▶ `projectCreate`: the function's name in generated clients. */
function operationId(controller: string, method: string): string {
  const known = OPERATION_IDS[`${controller}_${method}`];
  const noun = controller.replace(/Controller$/, '');
  return known ?? noun[0]?.toLowerCase() + noun.slice(1) + method[0]?.toUpperCase() + method.slice(1);
}

/** Serves the document at `/docs-json` and `/docs-yaml`. It is built once per process. */
export function mountApiDocs(app: INestApplication): void {
  let built: OpenAPIObject | undefined;
  serveApiDocument(app, () => (built ??= describeApi(app)));
}

type Encode = (document: OpenAPIObject) => string;

const FORMATS: [path: string, mediaType: string, encode: Encode][] = [
  ['/docs-json', 'application/json', (document) => JSON.stringify(document)],
  ['/docs-yaml', 'text/yaml', (document) => dump(document, { skipInvalid: true, noRefs: true })],
];

/**
 * Serves the document as JSON and as YAML. Each is encoded once per process: encoding YAML blocks
 * the event loop for 30 to 150 ms, and the route is public.
 */
export function serveApiDocument(app: INestApplication, document: () => OpenAPIObject): void {
  for (const [path, mediaType, encode] of FORMATS)
    app.getHttpAdapter().get(
      path,
      encodedOnce(mediaType, () => encode(document())),
    );
}

type Handler = (request: Request, response: Response) => Promise<void>;

function encodedOnce(mediaType: string, encode: () => string): Handler {
  let encoded: { body: string; etag: string } | undefined;
  return async (request, response) => {
    encoded ??= withTag(encode());
    response.type(mediaType);
    // A new version of the service may describe another API: caches revalidate each time, and get
    // 304.
    response.setHeader('Cache-Control', 'no-cache');
    await sendCompressed(request, response, encoded);
  };
}

function withTag(body: string): { body: string; etag: string } {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

type Json = Record<string, unknown>;
type Dto = new () => object;

/** Adds the checks of classes to the schemas of bodies and query parameters. */
function addChecks(
  document: OpenAPIObject,
  app: INestApplication,
  operationIdOf: (controller: string, method: string) => string,
): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Json>;
  for (const schema of Object.values(schemas)) countWhole(schema);
  for (const [name, type] of checkedClasses()) {
    const schema = schemas[name];
    if (!schema) continue;
    Object.assign(schema, rulesOf(type));
    const properties = (schema.properties ?? {}) as Record<string, Json>;
    for (const [member, checks] of schemasOfMembers(type)) addTo(properties[member], checks);
  }
  const queries = findQueryClasses(app, operationIdOf);
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods) as { operationId?: string; parameters?: unknown[] }[]) {
      const type = queries.get(operation.operationId ?? '');
      if (!type) continue;
      const checks = schemasOfMembers(type);
      for (const parameter of (operation.parameters ?? []) as { name: string; in: string; schema: Json }[]) {
        const known = parameter.in === 'query' && checks.get(parameter.name);
        if (known) addTo(parameter.schema, known);
      }
    }
  }
}

/** All our numbers are counts, except rates, which are documented with their maximum of 1. */
function countWhole({ properties = {} }: Json): void {
  for (const property of Object.values(properties as Record<string, Json>)) {
    const types = [property.type].flat();
    if (!types.includes('number') || property.maximum === 1) continue;
    property.type =
      types.length === 1 ? 'integer' : types.map((type) => (type === 'number' ? 'integer' : type));
  }
}

function addTo(schema: Json | undefined, { own, items }: { own: Json; items: Json }): void {
  if (!schema || '$ref' in schema || 'allOf' in schema) return;
  // Checks apply to values other than null; that null is allowed is documented by hand.
  const nullable = [schema.type].flat().includes('null');
  Object.assign(schema, own);
  if (nullable && own.type !== undefined) schema.type = [own.type, 'null'];
  if (nullable && Array.isArray(own.enum)) schema.enum = [...(own.enum as unknown[]), null];
  const { items: ofList } = schema as { items?: Json };
  if (ofList && !('$ref' in ofList)) Object.assign(ofList, items);
}

/** The class of the whole query, by operation. */
function findQueryClasses(
  app: INestApplication,
  operationIdOf: (controller: string, method: string) => string,
): Map<string, Dto> {
  const found = new Map<string, Dto>();
  for (const controller of listControllers(app)) {
    const prototype = controller.prototype as object;
    for (const method of Object.getOwnPropertyNames(prototype)) {
      const given = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
        string,
        { index: number; data?: unknown }
      >;
      const whole = Object.entries(given).find(
        ([key, { data }]) => key.startsWith(`${RouteParamtypes.QUERY}:`) && data === undefined,
      );
      const types = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as Dto[];
      const type = whole && types[whole[1].index];
      if (type) found.set(operationIdOf(controller.name, method), type);
    }
  }
  return found;
}

function listControllers(app: INestApplication): Type[] {
  return [...app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].flatMap(({ metatype }) => (metatype ? [metatype as Type] : [])),
  );
}
