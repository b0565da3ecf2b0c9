import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConflictResponse,
  ApiConsumes,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiResponse,
  ApiTags,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { Public } from '../../../platform/http/public.decorator.js';
import { UUID_V7 } from '../../../platform/identity/ids.js';
import { ApiAnyOrigin, ApiRefusals } from '../../../platform/openapi/api-description.js';
import { patternOf } from '../../../platform/openapi/schema-of-checks.js';
import { FORBIDDEN_KEYS } from '../domain/consent-input.js';
import { ConsentReceiptResponse, ConsentResponse } from './consent.dto.js';
import { VisitorEndpoint } from './visitor.endpoint.js';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

const PROJECT_ID = '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f';
const KEY = '019aa9f2c3d450d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c';
const STATES = ['consent_given', 'consent_refused', 'consent_withdrawn'];

const WHOSE = {
  projectId: { type: 'string', description: "Project id, as in the loader's URL" },
  visitorKey: {
    type: 'string',
    description: "Key stored on the visitor's device, 76 hex digits. An invalid key finds nothing.",
  },
};
const CONSENT_ID = {
  consentId: { type: 'string', nullable: true, description: "One of the visitor's records" },
};

/** The bodies of visitors' requests, which `parseVisitorRequest` checks by hand. */
const KEY_BODY_SCHEMA = {
  type: 'object',
  required: ['projectId', 'visitorKey'],
  properties: WHOSE,
  example: { projectId: PROJECT_ID, visitorKey: KEY },
} as Schema;

const RECORD_BODY_SCHEMA = {
  ...KEY_BODY_SCHEMA,
  properties: { ...WHOSE, ...CONSENT_ID },
  example: { projectId: PROJECT_ID, visitorKey: KEY, consentId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20' },
} as Schema;

const WITHDRAWAL_BODY_SCHEMA = {
  ...KEY_BODY_SCHEMA,
  properties: {
    ...WHOSE,
    id: {
      type: 'string',
      format: 'uuid',
      nullable: true,
      pattern: patternOf(UUID_V7),
      description: 'UUIDv7 of the withdrawal, as for any consent; repeated requests store it once',
    },
  },
  additionalProperties: true,
  propertyNames: { not: { enum: [...FORBIDDEN_KEYS] } },
  description: 'Other members are those of a consent; members set by the service are overwritten',
  example: { projectId: PROJECT_ID, visitorKey: KEY, language: 'en' },
} as object as Schema;

/** The records stored under a key. */
class KeyRecordsResponse {
  @ApiProperty({ type: [ConsentResponse], description: 'Newest first' }) items!: ConsentResponse[];
  @ApiProperty({ description: 'Whether there are older records', example: false }) more!: boolean;
}

class KeyErasureResponse {
  @ApiProperty({ type: 'integer', description: 'Records erased so far', example: 3 }) erased!: number;
  @ApiProperty({ description: 'false: a worker erases the rest' }) finished!: boolean;
}

const text = { type: 'string' };
const perhaps = { type: 'string', nullable: true };
const instant = { type: 'string', format: 'date-time' };

/** The receipt's sections and member names are those in ISO/IEC TS 27560:2023. */
const RECEIPT_SCHEMA = sections({
  receipt_metadata: sections({
    schema_version: { ...text, example: '1' },
    receipt_id: { ...text, format: 'uuid' },
    issued_at: instant,
  }),
  record_header: sections({
    standard: { ...text, example: 'ISO/IEC TS 27560:2023' },
    record_id: { ...text, format: 'uuid' },
    pii_principal_id: { ...perhaps, description: 'Always null: the service does not identify visitors' },
  }),
  pii_processing: sections({
    privacy_notice: sections({
      configuration_sha256: { ...perhaps, description: 'Published configuration that was shown' },
      version: { ...perhaps, description: 'Of the policy' },
    }),
    language: { ...perhaps, example: 'en' },
    purposes: {
      type: 'array',
      items: sections({
        purpose: { ...text, example: 'analytics' },
        lawful_basis: {
          ...perhaps,
          description: '`consent`; null if no choice was requested',
          example: 'consent',
        },
        state: { ...text, enum: STATES },
      }),
    },
    collection_method: {
      ...perhaps,
      example: 'banner',
      description: 'How the choice was made, as `surface` of a record',
    },
    retention_period: { ...text, description: 'ISO 8601 duration; minimum', example: 'P12M' },
    withdrawal_method: { ...text, example: 'POST /v1/visitor/withdrawals' },
    privacy_rights: { type: 'array', items: text, example: ['access', 'erasure', 'withdrawal'] },
    additional_fields: { type: 'object', additionalProperties: true, example: { policyVersion: '2026-12' } },
  }),
  party_identification: {
    type: 'array',
    items: sections({
      party_id: { ...text, example: PROJECT_ID },
      party_role: { ...text, example: 'controller' },
      party_name: {
        ...perhaps,
        example: 'Shop Ltd',
        description: 'Controller as entered in the project; null: none',
      },
      party_contact: {
        ...perhaps,
        example: 'privacy@shop.example',
        description: 'Contact of the controller; null: none',
      },
      party_url: { ...perhaps, example: 'https://shop.example' },
    }),
  },
  event: sections({
    event_time: instant,
    event_type: { ...text, description: 'Action of the record', example: 'accept_all' },
    event_state: { ...text, enum: STATES },
  }),
  proof: { ...perhaps, description: 'c2sp.org/tlog-proof@v1; null if the record is not in the log (yet)' },
}) as Schema;

/** An object schema with all members required. */
function sections(properties: Record<string, object>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}

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
