import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from './problem.filter.js';

/**
 * Requests of one credential that are under way in one process: a dashboard page makes about ten at once, a script
 * some dozens.
 */
export const UNDER_WAY_PER_CREDENTIAL_MAX = 100;
const RETRY_AFTER_SECONDS = 1;

/**
 * Refuses the requests that one API key or session sends beside too many others of its own, before anything is
 * looked up for them: to find out who calls costs more than to answer.
 */
export function limitRequestsUnderWay(): (request: Request, response: Response, next: NextFunction) => void {
  const underWay = new Map<string, number>();
  return (request, response, next) => {
    const credential = request.headers.authorization ?? request.headers.cookie;
    if (credential === undefined) return next();
    const count = underWay.get(credential) ?? 0;
    if (count >= UNDER_WAY_PER_CREDENTIAL_MAX) {
      sendProblem(request, response, {
        status: 429,
        code: 'too_many_requests',
        detail: `At most ${UNDER_WAY_PER_CREDENTIAL_MAX} requests of one credential run at once. Wait for the others.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
      return;
    }
    underWay.set(credential, count + 1);
    response.once('close', () => {
      const left = (underWay.get(credential) ?? 1) - 1;
      if (left > 0) underWay.set(credential, left);
      else underWay.delete(credential);
    });
    next();
  };
}
