import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from './problem.filter.js';

/**
 * Concurrent requests of one credential in one process: a dashboard page sends about ten at once, a
 * script some dozens.
 */
export const UNDER_WAY_PER_CREDENTIAL_MAX = 100;
const RETRY_AFTER_SECONDS = 1;

/**
 * Refuses requests beyond the limit of one API key or session before any lookup, because
 * identifying the caller costs more than most responses. `credentialsOf` returns the credentials in
 * a request; each of them counts.
 */
export function limitRequestsUnderWay(
  credentialsOf: (request: Request) => string[],
): (request: Request, response: Response, next: NextFunction) => void {
  const underWay = new Map<string, number>();
  const add = (credential: string, more: number): void => {
    const count = (underWay.get(credential) ?? 0) + more;
    if (count > 0) underWay.set(credential, count);
    else underWay.delete(credential);
  };
  return (request, response, next) => {
    const credentials = credentialsOf(request);
    if (credentials.some((credential) => (underWay.get(credential) ?? 0) >= UNDER_WAY_PER_CREDENTIAL_MAX)) {
      sendProblem(request, response, {
        status: 429,
        code: 'too_many_requests',
        detail: `At most ${UNDER_WAY_PER_CREDENTIAL_MAX} requests per credential can run at once. Wait for the others to finish.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
      return;
    }
    for (const credential of credentials) add(credential, 1);
    response.once('close', () => {
      for (const credential of credentials) add(credential, -1);
    });
    next();
  };
}
