import { ApiProperty } from '@nestjs/swagger';
import { NOT_LIMITED_BY_TIER } from '../domain/catalogue.js';
import { TIERS, type Tier } from '../domain/tier.js';

export class BillingPriceResponse {
  @ApiProperty({ description: 'Minor units (cents) per month', example: 700 }) perMonth!: number;
  @ApiProperty({ description: 'Minor units (cents) per year', example: 8400 }) perYear!: number;
}

export class TierPriceResponse {
  @ApiProperty({ example: 'USD' }) currency!: string;
  @ApiProperty({
    type: BillingPriceResponse,
    nullable: true,
    description: 'Billed monthly; null: on request',
  })
  monthly!: BillingPriceResponse | null;
  @ApiProperty({
    type: BillingPriceResponse,
    nullable: true,
    description: 'Billed yearly; null: on request',
    example: { perMonth: 500, perYear: 6000 },
  })
  yearly!: BillingPriceResponse | null;
}

export class TierLimitsResponse {
  @ApiProperty({ type: Number, nullable: true, description: 'null: on request', example: 100 })
  pagesPerScan!: number | null;
  @ApiProperty({ type: 'integer', description: 'Scans on demand in 24 hours', example: 5 })
  scansPerDay!: number;
}

export class TierFeaturesResponse {
  @ApiProperty({ example: false }) scheduledScans!: boolean;
  @ApiProperty({ enum: ['global', 'full'], description: 'full: region rules' })
  geoTargeting!: 'global' | 'full';
  @ApiProperty({ description: 'CSV and PDF export' }) export!: boolean;
  @ApiProperty({ description: 'Consent and site analytics', example: false }) analytics!: boolean;
  @ApiProperty() customDomains!: boolean;
  @ApiProperty() consentForwarding!: boolean;
}

export class TierEntryResponse {
  @ApiProperty({ enum: TIERS, example: 'pro' }) tier!: Tier;
  @ApiProperty({ example: 'Pro' }) name!: string;
  @ApiProperty({ type: TierPriceResponse }) price!: TierPriceResponse;
  @ApiProperty({ type: TierLimitsResponse }) limits!: TierLimitsResponse;
  @ApiProperty({ type: TierFeaturesResponse }) features!: TierFeaturesResponse;
}

export class EveryTierLimitsResponse {
  @ApiProperty({ type: 'integer', description: 'Event endpoints of a project', example: 10 })
  eventEndpoints!: number;
  @ApiProperty({ type: 'integer', description: 'Days that events and their log are kept', example: 30 })
  eventDaysKept!: number;
  @ApiProperty({ type: 'integer', description: 'Days that a recovery of events reaches back', example: 14 })
  eventRecoveryDays!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Bytes of the file of an import, as sent',
    example: 1_073_741_824,
  })
  importFileBytes!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Days that the files of an import are kept after its end',
    example: 7,
  })
  importFilesKeptDays!: number;
}

export class PricingResponse {
  @ApiProperty({ example: 'USD' }) currency!: string;
  @ApiProperty({ type: [TierEntryResponse], description: 'Lowest tier first' }) tiers!: TierEntryResponse[];
  @ApiProperty({ type: [String], description: 'What no tier limits', example: [...NOT_LIMITED_BY_TIER] })
  notLimitedByTier!: string[];
  @ApiProperty({ type: EveryTierLimitsResponse, description: 'Limits that are the same on every tier' })
  limitsOfEveryTier!: EveryTierLimitsResponse;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Contact for tiers without a price, an https URL or a mailto link; null: none',
    example: 'mailto:sales@example.com',
  })
  contactUrl!: string | null;
}
