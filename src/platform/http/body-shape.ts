import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  getMetadataStorage,
  IsArray,
  IsObject,
  ValidateNested,
} from 'class-validator';
import { coded, type FieldError, shownField } from '../errors/field-problem.js';

type Dto = new () => object;

/** The length of a list; `of` is the class of items that are objects. */
export interface ListRules {
  min?: number;
  max: number;
  of?: () => Dto;
}

/** Metadata of a class: its lists, and its object members, by name. */
const LISTS = Symbol('lists');
const MEMBERS = Symbol('members');

/**
 * A list of a body. `shapeProblems` checks its length, and that its items are plain objects if `of`
 * names their class, before each item is processed.
 */
export function ListOf(rules: ListRules): PropertyDecorator {
  const { min = 0, max, of } = rules;
  return applyDecorators(
    remember(LISTS, rules),
    IsArray(),
    ...(min > 0 ? [ArrayMinSize(min)] : []),
    ArrayMaxSize(max),
    ...(of ? [ValidateNested({ each: true }), Type(of)] : []),
  );
}

/** A member of a body that is a plain object of the class. */
export function ObjectOf(of: () => Dto): PropertyDecorator {
  return applyDecorators(remember(MEMBERS, of), IsObject(), ValidateNested(), Type(of));
}

/** The lists of a class and its base classes. */
export function listRulesOf(type: Dto): ReadonlyMap<string, ListRules> {
  return (Reflect.getMetadata(LISTS, type.prototype as object) ?? new Map()) as Map<string, ListRules>;
}

/**
 * Problems with the shape of a parsed body: unknown members, lists of a wrong length, and items
 * that are not plain objects. Checked first, because transforming and validating each member costs
 * far more.
 */
export function* shapeProblems(type: Dto, body: unknown, path = ''): Generator<FieldError> {
  if (!isPlainObject(body)) return;
  const known = knownMembers(type);
  if (known.size > 0) {
    for (const name of Object.keys(body)) {
      if (known.has(name)) continue;
      yield { field: path + name, message: `Property ${shownField(name)} should not exist.` };
    }
  }
  for (const [name, rules] of listRulesOf(type)) yield* problemsOfList(rules, body[name], path + name);
  const members = (Reflect.getMetadata(MEMBERS, type.prototype as object) ?? new Map()) as Map<
    string,
    () => Dto
  >;
  for (const [name, of] of members) yield* shapeProblems(of(), body[name], `${path}${name}.`);
}

function* problemsOfList(
  { min = 0, max, of }: ListRules,
  list: unknown,
  path: string,
): Generator<FieldError> {
  if (list === undefined) return;
  if (!Array.isArray(list)) {
    yield { field: path, message: `${path} must be a list.` };
  } else if (list.length < min || list.length > max) {
    const message =
      min > 0 ? `${path} must have ${min} to ${max} items.` : `${path} must have at most ${max} items.`;
    yield { field: path, message, ...coded('count', { ...(min > 0 && { min }), max }) };
  } else if (of) {
    for (const [at, item] of list.entries()) {
      const field = `${path}.${at}`;
      if (isPlainObject(item)) yield* shapeProblems(of(), item, `${field}.`);
      else yield { field, message: `${field} must be an object.` };
    }
  }
}

/** Members with a check. A class without any is not a DTO. */
function knownMembers(type: Dto): Set<string> {
  const checks = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return new Set(checks.map(({ propertyName }) => propertyName));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Adds to the metadata of a class or its base classes. */
function remember(kind: symbol, value: unknown): PropertyDecorator {
  return (target, property) => {
    const known = Reflect.getMetadata(kind, target) as Map<string | symbol, unknown> | undefined;
    Reflect.defineMetadata(kind, new Map([...(known ?? []), [property, value]]), target);
  };
}
