import type { INestApplication, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { checkedClasses, rulesOf, schemasOfMembers } from './schema-of-checks.js';

type Json = Record<string, unknown>;
type Dto = new () => object;

/** Adds the checks of classes to the schemas of bodies and query parameters. */
export function addChecks(
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
