import { applyDecorators } from '@nestjs/common';
import { ApiAcceptedResponse, ApiProperty } from '@nestjs/swagger';
import type { Response } from 'express';

/** `Retry-After` while no signed checkpoint covers an entry. */
const PENDING_RETRY_SECONDS = 10;

export const PROOF_TYPE = 'text/plain; charset=utf-8';

class ProofPendingResponse {
  @ApiProperty({ enum: ['pending'] }) status!: 'pending';
}

/** Documents the response of `sendPending`. */
export const ApiProofPending = (): MethodDecorator =>
  applyDecorators(
    ApiAcceptedResponse({
      description: 'Not in the log yet; Retry-After says when to try again',
      headers: {
        'Retry-After': { description: 'Seconds until a retry makes sense', schema: { type: 'integer' } },
      },
      type: ProofPendingResponse,
    }),
  );

/** 202: no signed checkpoint covers the entry yet. */
export function sendPending(response: Response): void {
  response.status(202).set('Retry-After', String(PENDING_RETRY_SECONDS)).json({ status: 'pending' });
}
