import type { Problem } from './api/index.js';

/** Thrown by each operation of the API for a response that is no success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The code of the problem document; null: something before the service responded, such as a proxy. */
  readonly code: Problem['code'] | null;
  /** Names the request in the service's log (`X-Request-Id`); null: the response has none. */
  readonly requestId: string | null;
  /** The problem document, with the invalid fields in `errors`; null like `code`. */
  readonly problem: Problem | null;

  constructor(body: unknown, { status, headers }: Response) {
    const problem = isProblem(body) ? body : null;
    super(problem?.detail ?? `The response has status ${status}.`);
    this.status = status;
    this.code = problem?.code ?? null;
    this.requestId = headers.get('x-request-id');
    this.problem = problem;
  }
}

/** The generated client throws the body of a refusal, which becomes an `ApiError`. Network failures are errors already. */
export function toError(thrown: unknown, response: Response | undefined): unknown {
  return response && !response.ok ? new ApiError(thrown, response) : thrown;
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}
