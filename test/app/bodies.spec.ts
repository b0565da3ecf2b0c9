import { getMetadataStorage } from 'class-validator';
import { describe, expect, it } from '@jest/globals';
import '../../src/programs/api.module.js';
import { CheckedInputPipe } from '../../src/platform/http/checked-input.pipe.js';
import { DomainError } from '../../src/platform/errors/domain-error.js';
import {
  FIELD_CHARACTERS_MAX,
  FIELD_ERRORS_MAX,
  type FieldError,
} from '../../src/platform/errors/field-problem.js';
import { listRulesOf } from '../../src/platform/http/body-shape.js';

type Dto = new () => object;
interface Check {
  target: Dto;
  propertyName: string;
  type: string;
  name?: string;
  each?: boolean;
  constraints?: unknown[];
}

/** All checks of all classes that the service validates. */
const CHECKS = [
  ...(
    getMetadataStorage() as unknown as { validationMetadatas: Map<Dto, Check[]> }
  ).validationMetadatas.values(),
].flat();
const DTOS = [...new Set(CHECKS.map(({ target }) => target))];
const fields = [
  ...new Map(
    CHECKS.map(({ target, propertyName }) => [`${target.name}.${propertyName}`, { target, propertyName }]),
  ),
];

const ANSWER_BYTES_MAX = 64 * 1024;

const HOSTILE: unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  'a',
  '\u0000',
  '\ud800',
  '[]',
  [],
  [[]],
  [null],
  [[[]]],
  [1],
  ['a'],
  [{}],
  [[{}]],
  [[], {}],
  {},
  { length: 3 },
  { toString: 1 },
  JSON.parse('{"__proto__":{"a":1}}'),
  JSON.parse('[{"__proto__":{"a":1},"constructor":1}]'),
];

const pipe = new CheckedInputPipe();

/** The refused fields; an empty list where the body is accepted. */
async function refused(target: Dto, body: unknown): Promise<FieldError[]> {
  try {
    await pipe.transform(body, { type: 'body', metatype: target });
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.code).toBe('validation_failed');
    expect(Buffer.byteLength(JSON.stringify([error.message, error.details]))).toBeLessThan(ANSWER_BYTES_MAX);
    return error.details.errors ?? [];
  }
}

describe('the bodies and queries of all routes', () => {
  it('are found', () => {
    expect(DTOS.length).toBeGreaterThan(40);
  });

  it.each(fields)('%s: any value is accepted or refused, and none is an error', async (_, field) => {
    for (const value of HOSTILE) await refused(field.target, { [field.propertyName]: value });
  });

  it('are refused where they are no object', async () => {
    for (const target of DTOS)
      for (const body of [[], [[]], [{}]]) expect(await refused(target, body)).not.toEqual([]);
  });

  it('name at most so many errors and characters, whatever is unknown in them', async () => {
    const many = Object.fromEntries(Array.from({ length: 12_000 }, (_, at) => [`k${at}`, 1]));
    const long = { ['n'.repeat(90_000)]: 1 };
    for (const target of DTOS) {
      expect((await refused(target, many)).length).toBe(FIELD_ERRORS_MAX);
      const [error] = (await refused(target, long)).filter(({ field }) => field.startsWith('nnn'));
      expect(error?.field.length).toBe(FIELD_CHARACTERS_MAX);
    }
  });
});

describe('lists in bodies', () => {
  const lists = fields.filter(([, { target, propertyName }]) =>
    CHECKS.some(
      (check) =>
        check.propertyName === propertyName &&
        check.target === target &&
        (check.each === true || ['isArray', 'arrayMaxSize', 'arrayUnique'].includes(check.name ?? '')),
    ),
  );

  it('are found', () => {
    expect(lists.length).toBeGreaterThan(10);
  });

  it.each(lists)('%s: has a bound, which is checked first', async (_, { target, propertyName }) => {
    const rules = listRulesOf(target).get(propertyName);
    expect(rules).toBeDefined();
    const max = rules?.max ?? 0;
    for (const fill of [(at: number) => `v${at}`, () => ({}), () => []]) {
      let reads = 0;
      const list = new Proxy(
        Array.from({ length: 33_000 }, (_, at) => fill(at)),
        {
          get: (items, key, receiver): unknown => {
            if (key !== 'length') reads += 1;
            return Reflect.get(items, key, receiver);
          },
        },
      );
      const errors = await refused(target, { [propertyName]: list });
      // No item is looked at.
      expect(reads).toBe(0);
      expect(errors).toEqual([expect.objectContaining({ field: propertyName, code: 'count', max })]);
    }
  });

  it.each(lists.filter(([, { target, propertyName }]) => listRulesOf(target).get(propertyName)?.of))(
    '%s: accepts plain objects alone',
    async (_, { target, propertyName }) => {
      for (const item of [[], [[]], [{}], null, 1, 'a', true]) {
        const errors = await refused(target, { [propertyName]: [item] });
        expect(errors).toEqual([
          { field: `${propertyName}.0`, message: `${propertyName}.0 must be an object.` },
        ]);
      }
    },
  );
});

describe('whole numbers in bodies', () => {
  const integers = fields.filter(([, { target, propertyName }]) =>
    CHECKS.some(
      (check) =>
        ['isInt', 'integer'].includes(check.name ?? '') &&
        check.target === target &&
        check.propertyName === propertyName,
    ),
  );

  it.each(integers)('%s: is refused above 2^53-1', async (_, { target, propertyName }) => {
    const errors = await refused(target, { [propertyName]: 2 ** 53 });
    expect(errors.filter(({ field }) => field === propertyName)).not.toEqual([]);
  });
});
