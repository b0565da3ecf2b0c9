import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { SECONDS_MAX, STRIPE_ID } from '../domain/json.js';
import { EVENT_TYPE } from '../domain/stripe-event.js';
import { SOLD_TIERS } from '../../licensing/domain/catalogue.js';
import { SUBSCRIPTION_PROVIDERS } from '../../licensing/domain/subscription.js';
import { type PaidTier, TIER_REASONS, TIERS, type Tier } from '../../licensing/domain/tier.js';

export const INTERVALS = ['month', 'year'] as const;

/** The members of an event that the service reads. */
export const EVENT_SCHEMA = {
  type: 'object',
  required: ['id', 'type', 'created', 'data'],
  properties: {
    id: { type: 'string', pattern: STRIPE_ID.source },
    type: { type: 'string', pattern: EVENT_TYPE.source },
    created: { type: 'integer', minimum: 1, maximum: SECONDS_MAX, description: 'Seconds since 1970' },
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

export class WebhookReceivedDto {
  @ApiProperty({ example: true })
  received!: boolean;
}

export class CheckoutBody {
  @ApiProperty({ enum: SOLD_TIERS })
  @IsIn(SOLD_TIERS)
  tier!: PaidTier;

  @ApiProperty({ enum: INTERVALS, description: 'How often it is billed; monthly and yearly mean the same' })
  @Transform(({ value }: { value: unknown }) =>
    value === 'monthly' ? 'month' : value === 'yearly' ? 'year' : value,
  )
  @IsIn(INTERVALS)
  interval!: 'month' | 'year';
}

export class BillingUrlDto {
  @ApiProperty({ format: 'uri', description: 'A page of the billing provider, to send the owner to' })
  url!: string;
}

const instant = { type: String, format: 'date-time', nullable: true } as const;

export class SubscriptionDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: SUBSCRIPTION_PROVIDERS })
  provider!: string;

  @ApiProperty({ enum: TIERS, nullable: true, description: 'null: its price is none that the service knows' })
  tier!: string | null;

  @ApiProperty({ enum: INTERVALS, nullable: true, description: 'null: nothing is billed' })
  interval!: string | null;

  @ApiProperty({ description: 'As the provider says it' })
  status!: string;

  @ApiProperty(instant)
  currentPeriodStart!: string | null;

  @ApiProperty(instant)
  currentPeriodEnd!: string | null;

  @ApiProperty({ ...instant, description: 'When it is going to end; null: it renews' })
  cancelAt!: string | null;

  @ApiProperty({ ...instant, description: 'null: it runs' })
  endedAt!: string | null;

  @ApiProperty({ ...instant, description: 'null: no payment is overdue' })
  pastDueSince!: string | null;

  @ApiProperty()
  collectionPaused!: boolean;

  @ApiProperty({ ...instant, description: 'End of a grant by hand; null: none' })
  expiresAt!: string | null;
}

export class SubscriptionStateDto {
  @ApiProperty({ enum: TIERS })
  tier!: Tier;

  @ApiProperty({ enum: Object.keys(TIER_REASONS) })
  reason!: string;

  @ApiProperty(instant)
  graceEndsAt!: string | null;

  @ApiProperty({
    type: SubscriptionDto,
    nullable: true,
    description: 'The one that grants the tier, or else the one that was changed last; null: there is none',
  })
  subscription!: SubscriptionDto | null;

  @ApiProperty({ description: 'More than one: the project pays twice' })
  liveSubscriptions!: number;

  @ApiProperty({ description: 'Whether checkout and portal are there' })
  billingAvailable!: boolean;
}
