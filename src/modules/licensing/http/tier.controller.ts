import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsIn, IsString, Length, ValidateBy } from 'class-validator';
import { coded } from '../../../platform/errors/field-problem.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { described } from '../../../platform/openapi/schema-of-checks.js';
import {
  CurrentAuthor,
  CurrentProject,
  ProjectBilling,
  ProjectRole,
} from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { SimulateTier } from '../application/simulate-tier.js';
import { CATALOGUE } from '../domain/catalogue.js';
import { isHostname } from '../domain/preview-host.js';
import { KNOWN_STATUSES } from '../domain/subscription.js';
import { TIER_REASONS, TIERS, type ResolvedTier, type Tier, type TierReason } from '../domain/tier.js';
import { LicensingService } from '../licensing.service.js';
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

class TierQuery {
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

class SimulateTierBody {
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

class TierResponse {
  @ApiProperty({ enum: TIERS, example: 'pro' }) tier!: Tier;
  @ApiProperty({ enum: Object.keys(TIER_REASONS), description: 'Reason for the tier' }) reason!: TierReason;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'End of the grace period; null: none',
  })
  graceEndsAt!: string | null;
  @ApiProperty({ type: TierLimitsResponse }) limits!: TierLimitsResponse;
  @ApiProperty({ type: TierFeaturesResponse }) features!: TierFeaturesResponse;
}

/** The response of `GET …/tier` and `POST …/tier/simulate`. */
function presentTier({ tier, reason, graceEndsAt }: ResolvedTier): TierResponse {
  const { limits, features } = CATALOGUE[tier];
  return { tier, reason, graceEndsAt: graceEndsAt?.toISOString() ?? null, limits, features };
}

@ApiTags('Licensing')
@Controller('v1/projects/:projectId/tier')
export class TierController {
  constructor(private readonly licensing: LicensingService) {}

  /** The effective tier (spec §3.2), read from the subscriptions: `{ tier, reason, graceEndsAt, limits, features }`. */
  @Get()
  @ProjectBilling('viewer')
  @ApiOperation({ summary: 'Read the effective tier of the project, or of one of its hostnames' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: TierResponse })
  async read(@CurrentProject() project: Project, @Query() query: TierQuery): Promise<TierResponse> {
    return presentTier(await this.licensing.fromSubscriptions(project, query.hostname, new Date()));
  }
}

/** Only outside production (ApiModule). */
@ApiTags('Licensing')
@Controller('v1/projects/:projectId/tier')
export class SimulateTierController {
  constructor(private readonly simulateTier: SimulateTier) {}

  /**
   * Upserts the project's one synthetic subscription (spec §4.5) and responds like `GET …/tier`.
   * The resulting tier may differ from the requested one: other subscriptions count too, and the
   * status decides.
   */
  @Post('simulate')
  @HttpCode(HttpStatus.OK)
  @ProjectRole('editor')
  @ApiBodyExample({ tier: 'pro' })
  @ApiOperation({ summary: 'Simulate a subscription; not in production' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: TierResponse })
  async simulate(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() body: SimulateTierBody,
  ): Promise<TierResponse> {
    return presentTier(
      await this.simulateTier.simulate({ project, author, requested: body, now: new Date() }),
    );
  }
}
