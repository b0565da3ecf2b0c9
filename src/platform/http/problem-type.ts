import type { ProblemCode } from '../errors/domain-error.js';

/**
 * Set once per process: an installation has one address, and errors are also written where nothing is
 * injected, such as before Express.
 */
let documentation = '/docs/errors';

/** Problems refer to the documentation at this base URL. */
export function documentProblemsAt(baseUrl: string): void {
  documentation = `${baseUrl}/docs/errors`;
}

/** The `type` of a problem (RFC 9457): the address of the entry for its code in docs/errors.md. */
export function problemType(code: ProblemCode): string {
  return `${documentation}#${code}`;
}
