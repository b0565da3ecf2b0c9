import { getMetadataStorage } from 'class-validator';
import { ValidationTypes } from 'class-validator';

type Json = Record<string, unknown>;
type Dto = new () => object;
type Check = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The JSON schema that matches a custom check, for its `constraints`. */
export const described = (schema: Json): { schema: Json }[] => [{ schema }];

/**
 * The pattern of an expression: schemas have no flags, so a case-insensitive one lists both cases
 * of letters.
 */
export function patternOf({ source, ignoreCase }: RegExp): string {
  if (!ignoreCase) return source;
  return source.replaceAll(/([a-z])-([a-z])/g, (range: string) => range + range.toUpperCase());
}

/** The schemas of class-validator's own checks. */
const SCHEMAS: Record<string, (given: unknown[]) => Json> = {
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isIn: ([values]) => ({ enum: [...(values as unknown[])] }),
  isUuid: () => ({ format: 'uuid' }),
  isLength: ([minLength, maxLength]) => ({ minLength, maxLength }),
  minLength: ([minLength]) => ({ minLength }),
  maxLength: ([maxLength]) => ({ maxLength }),
  matches: ([pattern]) => ({ pattern: patternOf(pattern as RegExp) }),
};
/** The schemas of checks of a list as a whole. */
const LIST_SCHEMAS: Record<string, (given: unknown[]) => Json> = {
  arrayMinSize: ([minItems]) => ({ minItems }),
  arrayMaxSize: ([maxItems]) => ({ maxItems }),
  // With an identifier it checks more than a schema can express.
  arrayUnique: ([identifier]) => (identifier === undefined ? { uniqueItems: true } : {}),
};

const RULES = Symbol('rules');

/** A rule between the members of a body in JSON Schema, e.g. `oneOf`. The handler checks it. */
export function MembersRule(rule: Json): ClassDecorator {
  return (target) => Reflect.defineMetadata(RULES, rule, target);
}

/** The members of a class with the schemas of their checks; merge it into the documented schema. */
export function schemasOfMembers(type: Dto): Map<string, { own: Json; items: Json }> {
  const members = new Map<string, { own: Json; items: Json }>();
  for (const check of listChecks(type)) {
    const member = members.get(check.propertyName) ?? { own: {}, items: {} };
    const schema = toSchema(check);
    Object.assign(check.each ? member.items : member.own, schema);
    members.set(check.propertyName, member);
  }
  return members;
}

/** The rules between the members of a class. */
export function rulesOf(type: Dto): Json {
  return { additionalProperties: false, ...(Reflect.getMetadata(RULES, type) as Json | undefined) };
}

/** All classes with checks, by name. */
export function checkedClasses(): Map<string, Dto> {
  const storage = getMetadataStorage() as unknown as { validationMetadatas: Map<Dto, unknown> };
  return new Map([...storage.validationMetadatas.keys()].map((type) => [type.name, type]));
}

function listChecks(type: Dto): Check[] {
  return getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
}

function toSchema(check: Check): Json {
  if (check.type === ValidationTypes.NESTED_VALIDATION) return {};
  const given = (check.constraints ?? []) as unknown[];
  const name = check.name ?? '';
  const own = given[0] as { schema?: Json } | undefined;
  if (own?.schema) return own.schema;
  return (SCHEMAS[name] ?? LIST_SCHEMAS[name])?.(given) ?? {};
}
