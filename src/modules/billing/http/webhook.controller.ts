import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../../platform/http/public.decorator.js';
import { ReceiveEvent } from '../application/receive-event.js';
import { EVENT_SCHEMA, WebhookReceivedResponse } from './billing.dto.js';
import { WEBHOOK_PATHS } from './webhook-bytes.js';

@ApiTags('Billing')
@Controller(WEBHOOK_PATHS)
export class WebhookController {
  constructor(private readonly receiveEvent: ReceiveEvent) {}

  /**
   * Stripe's webhook (spec §4.4). 200 `{ received: true }` once the event is committed, also for a
   * repeated or unhandled one. 400 with a `webhook_…` code if the signature or the body is invalid;
   * 413 above 1 MiB; 503 if the database is unavailable or too slow, and then Stripe sends it
   * again.
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
