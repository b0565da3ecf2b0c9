import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiBody,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ApiAnyOrigin, ApiRefusals } from '../../../platform/openapi/api-description.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { ConsentReceiptResponse } from './consent.dto.js';
import {
  KEY_BODY_SCHEMA,
  KeyErasureResponse,
  KeyRecordsResponse,
  RECEIPT_SCHEMA,
  RECORD_BODY_SCHEMA,
  WITHDRAWAL_BODY_SCHEMA,
} from './visitor.dto.js';
import { VisitorEndpoint } from './visitor.endpoint.js';

/**
 * For documentation only: the server passes these requests to the endpoint before Express
 * (visitor.endpoint.ts). A wrong project, key or record always gets the same 404
 * `consent_not_found`.
 */
@ApiTags('Visitors')
@ApiAnyOrigin()
@Controller('v1/visitor')
export class VisitorController {
  constructor(private readonly endpoint: VisitorEndpoint) {}

  /** The newest 100. */
  @Post('records')
  @Public()
  @HttpCode(200)
  @ApiRefusals(404, 429)
  @ApiOperation({ summary: 'Read your own records' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ required: true, schema: KEY_BODY_SCHEMA })
  @ApiOkResponse({ type: KeyRecordsResponse })
  records(@Req() request: IncomingMessage, @Res() response: ServerResponse): Promise<void> {
    return this.endpoint.post('records', request, response);
  }

  /** Of the newest record, or of `consentId`: ISO/IEC TS 27560:2023, sections and names. */
  @Post('receipts')
  @Public()
  @HttpCode(200)
  @ApiRefusals(404, 429)
  @ApiOperation({ summary: 'Create the receipt of a record' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ required: true, schema: RECORD_BODY_SCHEMA })
  @ApiOkResponse({ description: 'The receipt', schema: RECEIPT_SCHEMA })
  receipt(@Req() request: IncomingMessage, @Res() response: ServerResponse): Promise<void> {
    return this.endpoint.post('receipts', request, response);
  }

  /**
   * A new record that grants nothing, stored and forwarded as any other. Its additional field
   * `withdraws` is the id of the newest one before it, whose hostname it takes over if the request
   * has none.
   */
  @Post('withdrawals')
  @Public()
  @ApiRefusals(404, 429)
  @ApiConflictResponse({ description: '`consent_id_conflict`: a different choice is stored under this id' })
  @ApiOperation({ summary: 'Withdraw a consent' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ required: true, schema: WITHDRAWAL_BODY_SCHEMA })
  @ApiResponse({ status: 201, type: ConsentReceiptResponse, description: 'Stored and committed to disk' })
  @ApiResponse({
    status: 200,
    type: ConsentReceiptResponse,
    description: 'The same withdrawal was already stored',
  })
  withdraw(@Req() request: IncomingMessage, @Res() response: ServerResponse): Promise<void> {
    return this.endpoint.post('withdrawals', request, response);
  }

  /**
   * Erases all records of the visitor received until now, or only `consentId`, as an owner's
   * erasure does. It can't be undone.
   */
  @Post('erasures')
  @Public()
  @HttpCode(200)
  @ApiRefusals(404, 429)
  @ApiOperation({ summary: 'Erase your own records' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ required: true, schema: RECORD_BODY_SCHEMA })
  @ApiOkResponse({ type: KeyErasureResponse })
  erase(@Req() request: IncomingMessage, @Res() response: ServerResponse): Promise<void> {
    return this.endpoint.post('erasures', request, response);
  }
}
