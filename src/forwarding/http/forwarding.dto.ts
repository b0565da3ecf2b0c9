import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, ValidateIf } from 'class-validator';
import { HOLD_STATES, type HoldView } from '../application/hold.service.js';
import {
  BEARER_TOKEN,
  BEARER_TOKEN_CHARACTERS_MAX,
  BEARER_TOKEN_CHARACTERS_MIN,
} from '../domain/bearer-token.js';
import { ENDPOINT_URL_CHARACTERS_MAX } from '../domain/endpoint-policy.js';
import { FAILURE_CATEGORIES } from '../domain/outcome.js';
import { AUTH_MODES, type AuthMode } from '../domain/settings-change.js';
import { IfGiven } from '../../shared/if-given.decorator.js';
import { MembersRule } from '../../shared/schema-of-checks.js';

/** A URL of https without blanks, backslashes and a fragment; `judgeEndpointUrl` has the rest. */
const ENDPOINT_URL_PATTERN = String.raw`^[Hh][Tt][Tt][Pp][Ss]:[^\s\\#]+$`;

/** What an owner saves; the rules between the fields are in `judgeSettingsChange`. */
@MembersRule({
  allOf: [
    {
      if: { properties: { enabled: { const: true } } },
      then: {
        anyOf: [
          { properties: { endpointUrl: { type: 'string' } } },
          { required: ['allowCustomEndpoint'], properties: { allowCustomEndpoint: { const: true } } },
        ],
      },
    },
    {
      if: { properties: { authMode: { const: 'none' } } },
      then: { properties: { bearerToken: { type: 'null' } } },
      else: {
        if: { properties: { endpointUrl: { type: 'string' } } },
        then: { properties: { bearerToken: { type: 'string' } } },
      },
    },
  ],
})
export class SaveForwardingDto {
  @ApiProperty({ description: 'Whether records are forwarded. Needs an endpoint URL.' })
  @IsBoolean()
  enabled!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: ENDPOINT_URL_CHARACTERS_MAX,
    pattern: ENDPOINT_URL_PATTERN,
    description: 'https only, a public host, no user name, no fragment.',
    example: 'https://consents.example.com/hook',
  })
  @ValidateIf((dto: SaveForwardingDto) => dto.endpointUrl !== null)
  @IsString()
  endpointUrl!: string | null;

  @ApiProperty({ enum: AUTH_MODES, description: '`none` is for quick tests only.' })
  @IsIn(AUTH_MODES)
  authMode!: AuthMode;

  @ApiPropertyOptional({
    minLength: BEARER_TOKEN_CHARACTERS_MIN,
    maxLength: BEARER_TOKEN_CHARACTERS_MAX,
    pattern: BEARER_TOKEN.source,
    writeOnly: true,
    type: String,
    nullable: true,
    description:
      'Absent keeps the stored token, except where scheme, host or port of the endpoint URL change. `null` removes it.',
  })
  @ValidateIf((dto: SaveForwardingDto) => dto.bearerToken !== undefined && dto.bearerToken !== null)
  @IsString()
  bearerToken?: string | null;

  @ApiPropertyOptional({
    default: false,
    description: 'Whether records go to the `custom_endpoint` of their request while `endpointUrl` is null.',
  })
  @IfGiven()
  @IsBoolean()
  allowCustomEndpoint?: boolean;

  @ApiPropertyOptional({
    description:
      'Whether the endpoint is told of records that are erased: `{ action: "erase", id, erasedAt }`. Absent keeps what is stored.',
  })
  @IfGiven()
  @IsBoolean()
  forwardErasures?: boolean;
}

export class LastFailureDto {
  @ApiProperty({ description: 'A short sentence for the owner.' })
  reason!: string;

  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true })
  category!: string | null;

  @ApiProperty({ type: Number, nullable: true })
  httpStatus!: number | null;

  @ApiProperty()
  at!: Date;
}

export class SigningDto {
  @ApiProperty({ description: 'Whether requests are signed (Standard Webhooks).' })
  configured!: boolean;

  @ApiProperty({ type: Date, nullable: true })
  createdAt!: Date | null;

  @ApiProperty({ type: Date, nullable: true, description: 'Until when the secret before it signs too.' })
  formerValidUntil!: Date | null;
}

export class SigningSecretDto {
  @ApiProperty({ description: 'Shown this once; `whsec_` and 32 random bytes in base64.' })
  signingSecret!: string;

  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Until when the secret before it signs too; null where there was none.',
  })
  formerValidUntil!: Date | null;
}

export class ForwardingSettingsDto {
  @ApiProperty()
  enabled!: boolean;

  @ApiProperty({ type: String, nullable: true })
  endpointUrl!: string | null;

  @ApiProperty({
    description:
      'Whether records go to the `custom_endpoint` of their request while `endpointUrl` is null; true until a first save.',
  })
  allowCustomEndpoint!: boolean;

  @ApiProperty({ description: 'Whether the endpoint is told of records that are erased.' })
  forwardErasures!: boolean;

  @ApiProperty({ enum: AUTH_MODES })
  authMode!: AuthMode;

  @ApiProperty({ description: 'Whether a token is stored; the token itself is never shown.' })
  tokenConfigured!: boolean;

  @ApiProperty({ type: Date, nullable: true })
  tokenUpdatedAt!: Date | null;

  @ApiProperty({ type: SigningDto })
  signing!: SigningDto;

  @ApiProperty({ type: LastFailureDto, nullable: true })
  lastFailure!: LastFailureDto | null;

  @ApiProperty({ type: Date, nullable: true, description: 'Exact to one second.' })
  lastDeliveredAt!: Date | null;

  @ApiProperty({ description: 'Records waiting to be sent; counted up to 10,000.' })
  pending!: number;

  @ApiProperty({
    enum: HOLD_STATES,
    description: '`held`: the receiver is away, and what was not tried yet waits for it.',
  })
  state!: HoldView['state'];

  @ApiProperty({ type: Date, nullable: true, description: 'null while active.' })
  heldSince!: Date | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The failure that began the hold, a sentence for the owner; null while active.',
  })
  heldReason!: string | null;

  @ApiProperty({ description: 'Records that were not tried yet; counted up to 10,000, as `pending`.' })
  waiting!: number;

  @ApiProperty({ type: Date, nullable: true, description: 'Since when the oldest of them waits' })
  oldestWaitingAt!: Date | null;

  @ApiProperty({
    type: Date,
    nullable: true,
    description:
      'When the oldest waiting record is sent, to see whether the receiver is back; null while active.',
  })
  nextProbeAt!: Date | null;

  @ApiProperty({ description: "Whether the project's tier allows forwarding." })
  available!: boolean;
}

export class BearerTokenDto {
  @ApiProperty({ description: '32 random bytes in base64url; not stored.' })
  bearerToken!: string;
}

export class EndpointTestResultDto {
  @ApiProperty()
  delivered!: boolean;

  @ApiProperty({ type: Number, nullable: true })
  httpStatus!: number | null;

  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true })
  category!: string | null;

  @ApiProperty({ type: String, nullable: true })
  reason!: string | null;

  @ApiProperty()
  durationMs!: number;

  @ApiProperty({ description: 'Id of the synthetic record, as the receiver saw it.' })
  consentId!: string;
}
