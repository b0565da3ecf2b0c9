import { ApiExtension } from '@nestjs/swagger';

/**
 * Decorators for parts of the API document that Nest can't describe or that
 * `platform/openapi/openapi-contract.ts` can't derive from the route. That file resolves these
 * extensions.
 */
export const ACCESS_EXTENSION = 'x-access';
export const SESSION_ONLY_EXTENSION = 'x-session-only';
/** The tiers that an operation serves. */
export const TIERS_EXTENSION = 'x-tiers';
export const BODY_EXAMPLE_EXTENSION = 'x-body-example';
export const REFUSALS_EXTENSION = 'x-refusals';
export const RESPONSE_HEADERS_EXTENSION = 'x-own-response-headers';
export const SUCCESS_HEADERS_EXTENSION = 'x-own-success-headers';
export const ANY_ORIGIN_EXTENSION = 'x-any-origin';
export const NO_DATABASE_EXTENSION = 'x-no-database';

/** The two kinds of credentials. */
export const API_KEY_SCHEME = 'apiKey';
export const SESSION_SCHEME = 'session';

type Decorator = MethodDecorator & ClassDecorator;

/** The example token of mailed links. */
export const EXAMPLE_TOKEN = 'q7Vn2cYt0h9mZr4Xs8Kd1LfPw5Bg6Jt3Ae_Uo-RiCyM';

/** An example of the request body. The check of the document compares it with the schema. */
export const ApiBodyExample = (example: Record<string, unknown>): Decorator =>
  ApiExtension(BODY_EXAMPLE_EXTENSION, example);

/** Error statuses of the route in addition to the derived ones. */
export const ApiRefusals = (...statuses: number[]): Decorator => ApiExtension(REFUSALS_EXTENSION, statuses);

/** Headers of all responses of the route. */
export const ApiResponseHeaders = (
  ...names: ('Timing-Allow-Origin' | 'Vary' | 'X-Amz-Meta-Tier' | 'Content-Disposition')[]
): Decorator => ApiExtension(RESPONSE_HEADERS_EXTENSION, names);

/** Headers of successful responses of the route, in addition to the derived ones. */
export const ApiSuccessHeaders = (...names: ('Set-Cookie' | 'Location' | 'ETag')[]): Decorator =>
  ApiExtension(SUCCESS_HEADERS_EXTENSION, names);

/** Pages of any origin may call the route. */
export const ApiAnyOrigin = (): Decorator => ApiExtension(ANY_ORIGIN_EXTENSION, true);

/** The route reads no database, so it never returns 503. */
export const ApiNoDatabase = (): Decorator => ApiExtension(NO_DATABASE_EXTENSION, true);
