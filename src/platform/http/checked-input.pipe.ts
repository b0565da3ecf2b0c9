import { ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { fieldErrors } from '../errors/domain-error.js';
import { shownField, type FieldCode, type FieldError, type FieldProblem } from '../errors/field-problem.js';
import { shapeProblems } from './body-shape.js';

/** Validates bodies and queries by the decorators of their classes, after their shape. */
export class CheckedInputPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      // The class has the bounds of its checks; the instance's values are not used.
      validationError: { target: true, value: false },
      exceptionFactory: (errors) => fieldErrors(fieldErrorsOf(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    // If all members are optional, null would pass, although it is no object.
    if (type === 'body' && value === null)
      throw fieldErrors([{ field: '', message: 'Send one JSON object.' }]);
    if (metatype) {
      const problems = shapeProblems(metatype as new () => object, value);
      const first = problems.next();
      if (!first.done) throw fieldErrors([first.value, ...problems]);
    }
    return super.transform(value, metadata);
  }
}

/**
 * The codes of class-validator's own checks in a response, and the meaning of their arguments as
 * bounds.
 */
const CHECKS: Record<string, { code: FieldCode; bounds?: ('min' | 'max')[] }> = {
  isLength: { code: 'length', bounds: ['min', 'max'] },
  minLength: { code: 'length', bounds: ['min'] },
  maxLength: { code: 'length', bounds: ['max'] },
  min: { code: 'range', bounds: ['min'] },
  max: { code: 'range', bounds: ['max'] },
  arrayMinSize: { code: 'count', bounds: ['min'] },
  arrayMaxSize: { code: 'count', bounds: ['max'] },
  arrayUnique: { code: 'not_unique' },
  isEmail: { code: 'email' },
};

/** Flattens class-validator's trees into `{ field: "a.b.0", message, code? }`; it never repeats a value. */
function* fieldErrorsOf(errors: ValidationError[], path = ''): Generator<FieldError> {
  for (const error of errors) {
    const field = path === '' ? error.property : `${path}.${error.property}`;
    for (const [check, message] of Object.entries(error.constraints ?? {}))
      yield { field, message: sentence(message, error.property), ...toProblem(error, check) };
    yield* fieldErrorsOf(error.children ?? [], field);
  }
}

/** The code and bounds of a check: its own (`coded`), or class-validator's. */
function toProblem(error: ValidationError, check: string): FieldProblem | null {
  const own = error.contexts?.[check] as FieldProblem | undefined;
  if (own) return own;
  const known = CHECKS[check];
  if (!known) return null;
  const given = known.bounds ? constraintsOf(error, check) : [];
  return {
    code: known.code,
    ...Object.fromEntries((known.bounds ?? []).map((name, at) => [name, given[at]])),
  };
}

/** The decorator's arguments: an error contains only the names of its checks. */
function constraintsOf({ target, property }: ValidationError, check: string): unknown[] {
  if (!target) return [];
  const checks = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  return (
    checks.find(({ propertyName, name }) => propertyName === property && name === check)?.constraints ?? []
  );
}

/** As a sentence; a field's name is unchanged. */
function sentence(message: string, property: string): string {
  // The name of an unknown member is the client's and has any length.
  const short = property === '' ? message : message.replaceAll(property, () => shownField(property));
  const text = message.startsWith(property) ? short : short.charAt(0).toUpperCase() + short.slice(1);
  return text.endsWith('.') ? text : `${text}.`;
}
