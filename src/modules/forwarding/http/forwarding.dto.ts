import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, ValidateIf } from 'class-validator';
import { HOLD_STATES, type HoldView } from '../application/hold.service.js';
import {
  AUTH_MODES,
  type AuthMode,
  BEARER_TOKEN,
  BEARER_TOKEN_CHARACTERS_MAX,
  BEARER_TOKEN_CHARACTERS_MIN,
} from '../domain/settings-change.js';
import {
  ENDPOINT_URL_CHARACTERS_MAX,
  ENDPOINT_URL_PATTERN,
} from '../../../platform/delivery/domain/endpoint-policy.js';
import { FAILURE_CATEGORIES } from '../../../platform/delivery/domain/outcome.js';
import { RETRY_HOURS_MAX, RETRY_HOURS_MIN } from '../domain/retry.js';
import { ObjectOf } from '../../../platform/http/body-shape.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import { MembersRule } from '../../../platform/openapi/schema-of-checks.js';

/** Retries of failed deliveries, as an owner saves them. */
export class SaveRetryFailuresBody {
  @ApiProperty({ description: 'Whether failed deliveries are retried automatically.' })
  @IsBoolean()
  enabled!: boolean;

  @ApiPropertyOptional({
    description:
      'Hours after the first attempt until which a record is retried. Omit to keep the stored value.',
  })
  @IfGiven()
  @Integer({ min: RETRY_HOURS_MIN, max: RETRY_HOURS_MAX })
  hours?: number;
}

export class RetryFailuresResponse {
  @ApiProperty({ description: 'Whether failed deliveries are retried automatically.' }) enabled!: boolean;
  @ApiProperty({ description: 'Hours after the first attempt until which a record is retried.', example: 24 })
  hours!: number;
}

/** Whether a member is checked: turning forwarding off may omit it. */
function isNeeded({ enabled }: SaveForwardingBody, value: unknown): boolean {
  return enabled !== false || value !== undefined;
}

/** Rules between the fields are in `judgeSettingsChange`. */
@MembersRule({
  allOf: [
    {
      if: { properties: { enabled: { const: true } } },
      then: {
        required: ['endpointUrl', 'authMode'],
        properties: { endpointUrl: {}, authMode: {} },
        anyOf: [
          { properties: { endpointUrl: { type: 'string' } } },
          { required: ['allowCustomEndpoint'], properties: { allowCustomEndpoint: { const: true } } },
        ],
      },
    },
    {
      if: { required: ['authMode'], properties: { authMode: { const: 'none' } } },
      then: { properties: { bearerToken: { type: 'null' } } },
      else: {
        if: { properties: { endpointUrl: { type: 'string' } } },
        then: { properties: { bearerToken: { type: 'string' } } },
      },
    },
  ],
})
export class SaveForwardingBody {
  @ApiProperty({ description: 'Whether records are forwarded. Requires an endpoint URL.' })
  @IsBoolean()
  enabled!: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: ENDPOINT_URL_CHARACTERS_MAX,
    pattern: ENDPOINT_URL_PATTERN,
    description:
      'https only, on a public host, without user name or fragment. Required, except with `enabled: false`: omit to keep the stored value.',
    example: 'https://consents.example.com/hook',
  })
  @ValidateIf((dto: SaveForwardingBody) => dto.endpointUrl !== null && isNeeded(dto, dto.endpointUrl))
  @IsString()
  endpointUrl?: string | null;

  @ApiPropertyOptional({
    enum: AUTH_MODES,
    description:
      '`none` is for quick tests only. Required, except with `enabled: false`: omit to keep the stored value.',
  })
  @ValidateIf((dto: SaveForwardingBody) => isNeeded(dto, dto.authMode))
  @IsIn(AUTH_MODES)
  authMode?: AuthMode;

  @ApiPropertyOptional({
    minLength: BEARER_TOKEN_CHARACTERS_MIN,
    maxLength: BEARER_TOKEN_CHARACTERS_MAX,
    pattern: BEARER_TOKEN.source,
    writeOnly: true,
    type: String,
    nullable: true,
    description:
      'Omit to keep the stored token, unless the scheme, host, or port of the endpoint URL changes. `null` removes it.',
  })
  @ValidateIf((dto: SaveForwardingBody) => dto.bearerToken !== undefined && dto.bearerToken !== null)
  @IsString()
  bearerToken?: string | null;

  @ApiPropertyOptional({
    default: false,
    description:
      'Whether records are sent to the `custom_endpoint` of their request while `endpointUrl` is null.',
  })
  @IfGiven()
  @IsBoolean()
  allowCustomEndpoint?: boolean;

  @ApiPropertyOptional({
    description:
      'Whether the endpoint is notified of erased records: `{ action: "erase", id, erasedAt }`. Omit to keep the stored value.',
  })
  @IfGiven()
  @IsBoolean()
  forwardErasures?: boolean;

  @ApiPropertyOptional({
    type: SaveRetryFailuresBody,
    description:
      'Automatic retries of temporary failures, off by default. Omit to keep the stored value. Turning them off fails the records that wait for a retry.',
  })
  @IfGiven()
  @ObjectOf(() => SaveRetryFailuresBody)
  retryFailures?: SaveRetryFailuresBody;

  @ApiPropertyOptional({
    description:
      'Whether failed attempts are stored with the first 4 KiB of the response body, off by default. Omit to keep the stored value. Turning it off keeps the stored bodies until their attempts are deleted.',
  })
  @IfGiven()
  @IsBoolean()
  keepResponseBodies?: boolean;
}

export class LastFailureResponse {
  @ApiProperty({ description: 'A short message for the owner.', example: 'The endpoint returned HTTP 503.' })
  reason!: string;
  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true }) category!: string | null;

  @ApiProperty({ type: Number, nullable: true }) httpStatus!: number | null;
  @ApiProperty() at!: Date;
}

export class SigningResponse {
  @ApiProperty({ description: 'Whether requests are signed (Standard Webhooks).' }) configured!: boolean;
  @ApiProperty({ type: Date, nullable: true }) createdAt!: Date | null;

  @ApiProperty({ type: Date, nullable: true, description: 'Time until which the old secret also signs.' })
  formerValidUntil!: Date | null;
}

export class SigningSecretResponse {
  @ApiProperty({
    description: 'Returned only once; `whsec_` and 32 random bytes in base64.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw4dE1zTgqB2c=',
  })
  signingSecret!: string;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Time until which the old secret also signs; null if there is none.',
  })
  formerValidUntil!: Date | null;
}

export class ForwardingSettingsResponse {
  @ApiProperty() enabled!: boolean;
  @ApiProperty({ type: String, nullable: true, example: 'https://archive.shop.example/consents' })
  endpointUrl!: string | null;
  @ApiProperty({
    description:
      'Whether records are sent to the `custom_endpoint` of their request while `endpointUrl` is null; true until the first save.',
    example: false,
  })
  allowCustomEndpoint!: boolean;
  @ApiProperty({ description: 'Whether the endpoint is notified of erased records.' })
  forwardErasures!: boolean;
  @ApiProperty({ type: RetryFailuresResponse }) retryFailures!: RetryFailuresResponse;

  @ApiProperty({
    description: 'Whether failed attempts are stored with the first 4 KiB of the response body.',
  })
  keepResponseBodies!: boolean;
  @ApiProperty({ enum: AUTH_MODES }) authMode!: AuthMode;

  @ApiProperty({ description: 'Whether a token is stored. The token itself is never returned.' })
  tokenConfigured!: boolean;
  @ApiProperty({ type: Date, nullable: true }) tokenUpdatedAt!: Date | null;

  @ApiProperty({ type: SigningResponse }) signing!: SigningResponse;
  @ApiProperty({ type: LastFailureResponse, nullable: true, example: null })
  lastFailure!: LastFailureResponse | null;
  @ApiProperty({ type: Date, nullable: true, example: '2026-12-01T09:30:00.000Z' })
  lastDeliveredAt!: Date | null;
  @ApiProperty({ description: 'Records waiting to be sent, counted up to 10,000.', example: 3 })
  pending!: number;
  @ApiProperty({
    enum: HOLD_STATES,
    description: '`held`: the endpoint is unavailable, and queued records are on hold.',
  })
  state!: HoldView['state'];
  @ApiProperty({ type: Date, nullable: true, description: 'null while active.' }) heldSince!: Date | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The failure that started the hold, as a message for the owner; null while active.',
  })
  heldReason!: string | null;
  @ApiProperty({ description: 'Same as `pending`.', example: 3 }) waiting!: number;

  @ApiProperty({
    description: 'Of `pending`, records whose latest attempt failed and that are retried automatically.',
    example: 0,
  })
  retrying!: number;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Time since which the oldest of them has been waiting',
  })
  oldestWaitingAt!: Date | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'When the oldest queued record is sent to probe the endpoint; null while active.',
  })
  nextProbeAt!: Date | null;
  @ApiProperty({ description: "Whether the project's tier includes forwarding." }) available!: boolean;
}

export class BearerTokenResponse {
  @ApiProperty({
    description: '32 random bytes in base64url; not stored.',
    example: 'q7Vn2cYt0h9mZr4Xs8Kd1LfPw5Bg6Jt3Ae_Uo-RiCyM',
  })
  bearerToken!: string;
}

export class EndpointTestResultResponse {
  @ApiProperty() delivered!: boolean;
  @ApiProperty({ type: Number, nullable: true, example: 204 }) httpStatus!: number | null;

  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true }) category!: string | null;
  @ApiProperty({ type: String, nullable: true }) reason!: string | null;

  @ApiProperty({ example: 84 }) durationMs!: number;
  @ApiProperty({
    description: 'ID of the synthetic record, as received by the endpoint.',
    example: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20',
  })
  consentId!: string;
}
