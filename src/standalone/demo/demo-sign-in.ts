import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';

const TOKEN_BYTES = 32;

/** A session of the demo's owner: the `Set-Cookie` values that open it. */
export type OpenSession = (address: string) => Promise<string[]>;

/** The link that `npm start` prints. */
export interface OneTimeLink {
  /** The path with its query, below the base URL. */
  path: string;
  handler: RequestHandler;
}

/**
 * A link that signs in once, created with each start. Following it again just opens the dashboard: a browser may have
 * prefetched it while its address was being typed.
 */
export function oneTimeLink(openSession: OpenSession): OneTimeLink {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  let used = false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const isToken = (given: unknown): boolean =>
    typeof given === 'string' && timingSafeEqual(digest(given), digest(token));
  return {
    path: `/demo/sign-in?token=${token}`,
    // Express passes on what this rejects with.
    handler: async (request, response) => {
      response.setHeader('Referrer-Policy', 'no-referrer');
      if (!used && isToken(request.query['token'])) {
        used = true;
        response.append('Set-Cookie', await openSession(request.ip ?? ''));
      }
      response.redirect(303, '/');
    },
  };
}
