import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Length, ValidateBy } from 'class-validator';
import { CATALOGUE } from '../domain/catalogue.js';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import { isHostname } from '../domain/preview-host.js';
import { KNOWN_STATUSES } from '../domain/subscription-status.js';
import { type ResolvedTier, TIER_REASONS, TIERS, type Tier, type TierReason } from '../domain/tier.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { coded } from '../../../platform/errors/field-problem.js';
import { described } from '../../../platform/openapi/schema-of-checks.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { TierFeaturesResponse, TierLimitsResponse } from './pricing.dto.js';

/** Maximum length of a status; those of providers have under 20 characters. */
const STATUS_CHARACTERS_MAX = 64;

/** Text that a database can store: no control characters, no unpaired surrogates. */
const IsPlainText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPlainText',
    constraints: described({ pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*$` }),
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && value.isWellFormed() && !/\p{Cc}/u.test(value),
      defaultMessage: () => '$property must be plain text without control characters',
    },
  });

export class TierQuery {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: HOSTNAME_CHARACTERS_MAX,
    description: 'Hostname or URL of a site; preview hosts have the tier lite',
  })
  @IfGiven()
  @ValidateBy(
    {
      name: 'hostname',
      constraints: described({
        type: 'string',
        minLength: 1,
        maxLength: HOSTNAME_CHARACTERS_MAX,
        pattern: String.raw`^\s*[^\s/\\?#@%]+\s*$`,
      }),
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isHostname(value),
        defaultMessage: () => 'hostname must be a hostname such as www.example.com.',
      },
    },
    { context: coded('host_name') },
  )
  hostname?: string;
}

export class SimulateTierBody {
  @ApiProperty({ enum: TIERS, description: 'lite removes the synthetic subscription' })
  @IsIn(TIERS)
  tier!: Tier;

  @ApiPropertyOptional({
    description: `Status that the provider would report: ${KNOWN_STATUSES.join(', ')}, or an unknown word`,
    default: 'active',
  })
  @IfGiven()
  @IsString()
  @Length(1, STATUS_CHARACTERS_MAX)
  @IsPlainText()
  status?: string;

  @ApiPropertyOptional({ format: 'date-time' })
  @IfGiven()
  @IsInstant()
  currentPeriodEnd?: Date;

  @ApiPropertyOptional({ format: 'date-time', description: 'Defaults to now for the status past_due' })
  @IfGiven()
  @IsInstant({ past: true })
  pastDueSince?: Date;

  @ApiPropertyOptional({ format: 'date-time', description: 'Defaults to now for the status canceled' })
  @IfGiven()
  @IsInstant({ past: true })
  endedAt?: Date;
}

export class TierResponse {
  @ApiProperty({ enum: TIERS, example: 'pro' })
  tier!: Tier;

  @ApiProperty({ enum: Object.keys(TIER_REASONS), description: 'Reason for the tier' })
  reason!: TierReason;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'End of the grace period; null: none',
  })
  graceEndsAt!: string | null;

  @ApiProperty({ type: TierLimitsResponse })
  limits!: TierLimitsResponse;

  @ApiProperty({ type: TierFeaturesResponse })
  features!: TierFeaturesResponse;
}

/** The response of `GET …/tier` and `POST …/tier/simulate`. */
export function presentTier({ tier, reason, graceEndsAt }: ResolvedTier): TierResponse {
  const { limits, features } = CATALOGUE[tier];
  return { tier, reason, graceEndsAt: graceEndsAt?.toISOString() ?? null, limits, features };
}
