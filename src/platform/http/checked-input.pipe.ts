import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { fieldErrors } from '../errors/domain-error.js';
import { shapeProblems } from './body-shape.js';
import { fieldErrorsOf } from './field-errors.js';

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
