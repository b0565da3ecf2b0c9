import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { RequestHandler } from 'express';
import { mailPage, requireLoopback } from '../mail-page.js';
import { DEMO_PAGE, DEMO_SCRIPT } from './demo-page.js';
import type { ReceivedRecord } from './demo-receiver.js';
import { misbehavingShop } from './misbehaving-shop.js';

interface DemoSite {
  /** The folder of mails. */
  mailFolder: string;
  /** Follows the one-time link; absent: there is none. */
  signIn?: RequestHandler;
  projectId(): string;
  /** The last requests of the receiver, newest first. */
  received(): Promise<ReceivedRecord[]>;
}

const CONTENT_SECURITY_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Serves the demo page: a small website with a real consent banner. Development only. */
export function mountDemoSite(app: NestExpressApplication, site: DemoSite): void {
  const router = express.Router();
  router.use((_request, response, next) => {
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  router.get('/', (_request, response) => {
    response.type('html').send(DEMO_PAGE.replaceAll('{projectId}', site.projectId()));
  });
  router.get('/demo.js', (_request, response) => {
    response.type('text/javascript').send(DEMO_SCRIPT);
  });
  router.get('/received', async (_request, response) => {
    const received = await site.received();
    // Without the headers, because they contain the token (spec §5.2).
    response.json(received.map(({ receivedAt, status, body }) => ({ receivedAt, status, body })));
  });
  router.use(
    '/shop',
    misbehavingShop(() => site.projectId()),
  );
  if (site.signIn) router.get('/sign-in', site.signIn);
  router.get('/mail', requireLoopback, mailPage(site.mailFolder));
  app.use('/demo', router);
}
