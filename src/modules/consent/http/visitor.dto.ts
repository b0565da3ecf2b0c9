import { ApiProperty, type OpenAPIObject } from '@nestjs/swagger';
import { UUID_V7 } from '../../../platform/identity/ids.js';
import { patternOf } from '../../../platform/openapi/schema-of-checks.js';
import { FORBIDDEN_KEYS } from '../domain/consent-input.js';
import { ConsentResponse } from './consent.dto.js';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

const PROJECT_ID = '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f';
/** An example key. */
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
export const KEY_BODY_SCHEMA = {
  type: 'object',
  required: ['projectId', 'visitorKey'],
  properties: WHOSE,
  example: { projectId: PROJECT_ID, visitorKey: KEY },
} as Schema;

export const RECORD_BODY_SCHEMA = {
  ...KEY_BODY_SCHEMA,
  properties: { ...WHOSE, ...CONSENT_ID },
  example: { projectId: PROJECT_ID, visitorKey: KEY, consentId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20' },
} as Schema;

export const WITHDRAWAL_BODY_SCHEMA = {
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
export class KeyRecordsResponse {
  @ApiProperty({ type: [ConsentResponse], description: 'Newest first' }) items!: ConsentResponse[];
  @ApiProperty({ description: 'Whether there are older records', example: false }) more!: boolean;
}

export class KeyErasureResponse {
  @ApiProperty({ type: 'integer', description: 'Records erased so far', example: 3 }) erased!: number;
  @ApiProperty({ description: 'false: a worker erases the rest' }) finished!: boolean;
}

const text = { type: 'string' };
const perhaps = { type: 'string', nullable: true };
const instant = { type: 'string', format: 'date-time' };

/** The receipt's sections and member names are those in ISO/IEC TS 27560:2023. */
export const RECEIPT_SCHEMA = sections({
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
  proof: {
    ...perhaps,
    description: 'c2sp.org/tlog-proof@v1; null if the record is not in the log (yet)',
  },
}) as Schema;

/** An object schema with all members required. */
function sections(properties: Record<string, object>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
