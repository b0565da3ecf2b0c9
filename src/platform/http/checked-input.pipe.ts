import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { fieldErrors } from '../shared/domain-error.js';
import { shapeProblems } from '../http/body-shape.js';
import { fieldErrorsOf } from './field-errors.js';

/** Checks bodies and queries by the decorators of their classes; their form before anything else. */
export class CheckedInputPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      // Its class has the bounds of its checks; nothing else of it is looked at.
      validationError: { target: true, value: false },
      exceptionFactory: (errors) => fieldErrors(fieldErrorsOf(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    // No member is missing where all may be absent; it is no object all the same.
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
