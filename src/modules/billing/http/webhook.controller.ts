import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import express from 'express';
import type { Request, RequestHandler } from 'express';
import { Public } from '../../../platform/http/public.decorator.js';
import { ReceiveEvent } from '../application/receive-event.js';
import { SECONDS_MAX, STRIPE_ID } from '../domain/json.js';
import { EVENT_TYPE } from '../domain/stripe-event.js';

/** The path segment is the provider's identifier (spec §4.4); `stripe` is the same handler. */
const WEBHOOK_PATHS = ['v1/webhooks/billing', 'v1/webhooks/stripe'];

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

/** The members of an event that the service reads. */
const EVENT_SCHEMA = {
  type: 'object',
  required: ['id', 'type', 'created', 'data'],
  properties: {
    id: { type: 'string', pattern: STRIPE_ID.source },
    type: { type: 'string', pattern: EVENT_TYPE.source },
    created: { type: 'integer', minimum: 1, maximum: SECONDS_MAX, description: 'Unix time in seconds' },
    data: {
      type: 'object',
      required: ['object'],
      properties: { object: { type: 'object', additionalProperties: true } },
      additionalProperties: true,
    },
  },
  additionalProperties: true,
  example: {
    id: 'evt_1SVr2K',
    type: 'customer.subscription.updated',
    created: 1_763_640_000,
    data: { object: { id: 'sub_1SVr2K', object: 'subscription' } },
  },
};

class WebhookReceivedResponse {
  @ApiProperty({ example: true }) received!: boolean;
}

@ApiTags('Billing')
@Controller(WEBHOOK_PATHS)
export class WebhookController {
  constructor(private readonly receiveEvent: ReceiveEvent) {}

  /**
   * Stripe's webhook (spec §4.4). 200 `{ received: true }` once the event is committed, also for a repeated
   * or unhandled one. 400 with a `webhook_…` code if the signature or the body is invalid; 413 above 1 MiB;
   * 503 if the database is unavailable or too slow, and then Stripe sends it again.
   */
  @Post()
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'Receive webhooks of the billing provider' })
  @ApiBody({ schema: EVENT_SCHEMA, description: "Event with the provider's signature" })
  @ApiHeader({ name: 'Stripe-Signature', required: true })
  @ApiOkResponse({ type: WebhookReceivedResponse })
  @ApiBadRequestResponse({
    description: '`webhook_signature_invalid`, `webhook_payload_invalid`: nothing was stored',
  })
  async receive(
    @Req() request: Request,
    @Headers('stripe-signature') signature: string | undefined,
  ): Promise<WebhookReceivedResponse> {
    const body: unknown = request.body;
    await this.receiveEvent.fromWebhook(
      Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      signature,
      new Date(),
    );
    return { received: true };
  }
}
