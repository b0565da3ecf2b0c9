import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Logger } from '@nestjs/common';
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
 * A link that signs in once, created with each start; after a failure it still works. Following it again opens the
 * dashboard: a browser may have prefetched it while its address was being typed. Without a session, the sign-in page
 * says why the link did not sign in.
 */
export function oneTimeLink(openSession: OpenSession): OneTimeLink {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const logger = new Logger('DemoSignIn');
  let session: Promise<string[]> | null = null;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const isToken = (given: unknown): boolean =>
    typeof given === 'string' && timingSafeEqual(digest(given), digest(token));
  return {
    path: `/demo/sign-in?token=${token}`,
    handler: async (request, response) => {
      response.setHeader('Referrer-Policy', 'no-referrer');
      if (session !== null || !isToken(request.query['token'])) {
        // The first request of two may still be opening the session.
        await session?.catch(() => {});
        response.redirect(303, '/?demoLink=used');
        return;
      }
      try {
        session = openSession(request.ip ?? '');
        response.append('Set-Cookie', await session);
        response.redirect(303, '/');
      } catch (error) {
        session = null;
        logger.error({ err: error }, 'the sign-in link could not open a session');
        response.redirect(303, '/?demoLink=failed');
      }
    },
  };
}
