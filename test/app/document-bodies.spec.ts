import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import '../../src/programs/api.module.js';
import { CheckedInputPipe } from '../../src/platform/http/checked-input.pipe.js';
import { DomainError } from '../../src/platform/errors/domain-error.js';
import { checkedClasses } from '../../src/platform/openapi/schema-of-checks.js';
import type { FieldError } from '../../src/platform/errors/field-problem.js';
import { unexplained } from '../support/rules/document-rules.js';
import { type JsonSchema, SchemaValues } from '../support/rules/schema-values.js';

/** The same with each run; `SCHEMA_SEED` draws others. */
const SEED = Number(process.env['SCHEMA_SEED'] ?? 5);
const VALUES = 60;
/** Changes that what the handler calls refuses, by class: test/fuzz/document sees that it does. */
const BY_HANDLER: Record<string, RegExp> = {
  SecondFactorBody: /^\.: /,
  EraseVisitorBody: /^\.: /,
  CreateApiKeyBody: /^(role|scopes|limitedTo)/,
  ResendDeliveriesBody: /^status/,
  UpdateProjectBody: /^(\.|domains)/,
  CreateProjectBody: /^domains/,
  SaveForwardingBody: /./,
  CreateEventEndpointBody: /^url/,
  UpdateEventEndpointBody: /^url/,
};

const values = new SchemaValues();
const pipe = new CheckedInputPipe();
const classes = [...checkedClasses()].flatMap(([name, type]) => {
  const schema: JsonSchema = { $ref: `#/components/schemas/${name}` };
  return values.resolve(schema) ? [{ name, type, schema }] : [];
});

/** The refused fields; none where the body is accepted. */
async function refused(type: new () => object, value: unknown): Promise<FieldError[]> {
  try {
    await pipe.transform(structuredClone(value), { type: 'body', metatype: type });
    return [];
  } catch (error) {
    if (error instanceof DomainError) return error.details.errors ?? [];
    throw error;
  }
}

describe(`the schemas of bodies, seed ${SEED}`, () => {
  it('are found', () => {
    expect(classes.length).toBeGreaterThan(30);
  });

  it.each(classes)('$name: what is valid by the document is accepted', async ({ type, schema }) => {
    for (const value of fc.sample(values.valid(schema), { seed: SEED, numRuns: VALUES }))
      expect([value, unexplained(await refused(type, value))]).toEqual([value, []]);
  });

  it.each(classes)('$name: what breaks it in one place is refused', async ({ name, type, schema }) => {
    for (const broken of fc.sample(values.broken(schema), { seed: SEED, numRuns: VALUES })) {
      if (broken && BY_HANDLER[name]?.test(broken.what) !== true)
        expect([broken, await refused(type, broken.value)]).not.toEqual([broken, []]);
    }
  });
});
