import express, { type RequestHandler } from 'express';

/** The path segment is the provider's identifier (spec §4.4); `stripe` is the same handler. */
export const WEBHOOK_PATHS = ['v1/webhooks/billing', 'v1/webhooks/stripe'];

/** Stripe's largest events are far smaller. */
const WEBHOOK_BODY_BYTES_MAX = 1024 * 1024;

/**
 * Reads the webhook's body as bytes, with any media type, because the signature covers exactly
 * these. It must run before the API's parser. Compressed bodies are refused: Stripe sends none.
 */
export function readWebhookBytes(): RequestHandler {
  const router = express.Router();
  const readBytes = express.raw({ limit: WEBHOOK_BODY_BYTES_MAX, type: () => true, inflate: false });
  for (const path of WEBHOOK_PATHS) router.post(`/${path}`, readBytes);
  return router;
}
