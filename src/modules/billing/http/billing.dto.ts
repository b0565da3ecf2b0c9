import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { SECONDS_MAX, STRIPE_ID } from '../domain/json.js';
import { EVENT_TYPE } from '../domain/stripe-event.js';
import { SOLD_TIERS } from '../../licensing/domain/catalogue.js';
import { SUBSCRIPTION_PROVIDERS } from '../../licensing/domain/subscription.js';
import { type PaidTier, TIER_REASONS, TIERS, type Tier } from '../../licensing/domain/tier.js';

const INTERVALS = ['month', 'year'] as const;

/** The members of an event that the service reads. */
export const EVENT_SCHEMA = {
  type: 'object',
  required: ['id', 'type', 'created', 'data'],
  properties: {
    id: { type: 'string', pattern: STRIPE_ID.source },
    type: { type: 'string', pattern: EVENT_TYPE.source },
    created: { type: 'integer', minimum: 1, maximum: SECONDS_MAX, description: 'Unix time in seconds' },
    data: {
      type: 'object',
      required: ['object'],
      properties: { object: { type: 'object', additionalProperties: true } },
      additionalProperties: true,
    },
  },
  additionalProperties: true,
  example: {
    id: 'evt_1SVr2K',
    type: 'customer.subscription.updated',
    created: 1_763_640_000,
    data: { object: { id: 'sub_1SVr2K', object: 'subscription' } },
  },
};

export class WebhookReceivedResponse {
  @ApiProperty({ example: true })
  received!: boolean;
}

export class CheckoutBody {
  @ApiProperty({ enum: SOLD_TIERS })
  @IsIn(SOLD_TIERS)
  tier!: PaidTier;

  @ApiProperty({ enum: INTERVALS, description: 'Billing interval; monthly and yearly are aliases' })
  @Transform(({ value }: { value: unknown }) =>
    value === 'monthly' ? 'month' : value === 'yearly' ? 'year' : value,
  )
  @IsIn(INTERVALS)
  interval!: 'month' | 'year';
}

export class BillingUrlResponse {
  @ApiProperty({
    format: 'uri',
    description: 'Page of the billing provider to redirect the owner to',
    example: 'https://billing.example/session/8f14e45f',
  })
  url!: string;
}

const instant = { type: String, format: 'date-time', nullable: true } as const;

export class SubscriptionResponse {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: SUBSCRIPTION_PROVIDERS })
  provider!: string;

  @ApiProperty({ enum: TIERS, nullable: true, description: 'null: unknown price', example: 'pro' })
  tier!: string | null;

  @ApiProperty({ enum: INTERVALS, nullable: true, description: 'null: not billed', example: 'month' })
  interval!: string | null;

  @ApiProperty({ description: 'Status as reported by the provider', example: 'active' })
  status!: string;

  @ApiProperty({ ...instant, example: '2026-11-14T00:00:00.000Z' })
  currentPeriodStart!: string | null;

  @ApiProperty({ ...instant, example: '2026-12-14T00:00:00.000Z' })
  currentPeriodEnd!: string | null;

  @ApiProperty({ ...instant, description: 'Scheduled cancellation; null: it renews' })
  cancelAt!: string | null;

  @ApiProperty({ ...instant, description: 'null: it runs' })
  endedAt!: string | null;

  @ApiProperty({ ...instant, description: 'null: no overdue payment' })
  pastDueSince!: string | null;

  @ApiProperty({ example: false })
  collectionPaused!: boolean;

  @ApiProperty({ ...instant, description: 'End of a granted tier; null: none' })
  expiresAt!: string | null;
}

export class SubscriptionStateResponse {
  @ApiProperty({ enum: TIERS, example: 'pro' })
  tier!: Tier;

  @ApiProperty({ enum: Object.keys(TIER_REASONS) })
  reason!: string;

  @ApiProperty(instant)
  graceEndsAt!: string | null;

  @ApiProperty({
    type: SubscriptionResponse,
    nullable: true,
    description: 'The subscription that determines the tier, or else the last one changed; null: none',
  })
  subscription!: SubscriptionResponse | null;

  @ApiProperty({ description: 'More than one: the project is billed twice', example: 1 })
  liveSubscriptions!: number;

  @ApiProperty({ description: 'Whether checkout and portal are available' })
  billingAvailable!: boolean;
}
