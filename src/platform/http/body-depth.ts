import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from './problem.filter.js';

/** Deepest nesting of a request body. Bodies of our routes nest at most 5 deep. */
export const BODY_DEPTH_MAX = 32;

/**
 * Refuses bodies that nest too deeply: validation and transformation recurse, and a body of 100 KiB
 * can nest deep enough to exhaust the stack. Mounted after the JSON parser, which does not recurse.
 */
export function refuseDeepBody(request: Request, response: Response, next: NextFunction): void {
  if (!isDeeperThan(request.body, BODY_DEPTH_MAX)) return next();
  sendProblem(request, response, {
    status: 422,
    code: 'validation_failed',
    detail: `The body is nested more than ${BODY_DEPTH_MAX} levels deep.`,
    members: {
      errors: [{ field: '', message: `The body can be nested at most ${BODY_DEPTH_MAX} levels deep.` }],
    },
  });
}

/** Recurses no deeper than `levels`. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
