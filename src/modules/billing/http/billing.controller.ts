import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn } from 'class-validator';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectBilling } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { SOLD_TIERS } from '../../licensing/domain/catalogue.js';
import { SUBSCRIPTION_PROVIDERS } from '../../licensing/domain/subscription.js';
import { type PaidTier, type Tier, TIER_REASONS, TIERS } from '../../licensing/domain/tier.js';
import type { Project } from '../../projects/domain/project.js';
import { BillingService, type BillingState } from '../application/billing.service.js';

const INTERVALS = ['month', 'year'] as const;

class CheckoutBody {
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

class BillingUrlResponse {
  @ApiProperty({
    format: 'uri',
    description: 'Page of the billing provider to redirect the owner to',
    example: 'https://billing.example/session/8f14e45f',
  })
  url!: string;
}

const instant = { type: String, format: 'date-time', nullable: true } as const;

class SubscriptionResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: SUBSCRIPTION_PROVIDERS }) provider!: string;

  @ApiProperty({ enum: TIERS, nullable: true, description: 'null: unknown price', example: 'pro' })
  tier!: string | null;
  @ApiProperty({ enum: INTERVALS, nullable: true, description: 'null: not billed', example: 'month' })
  interval!: string | null;
  @ApiProperty({ description: 'Status as reported by the provider', example: 'active' }) status!: string;

  @ApiProperty({ ...instant, example: '2026-11-14T00:00:00.000Z' }) currentPeriodStart!: string | null;
  @ApiProperty({ ...instant, example: '2026-12-14T00:00:00.000Z' }) currentPeriodEnd!: string | null;

  @ApiProperty({ ...instant, description: 'Scheduled cancellation; null: it renews' })
  cancelAt!: string | null;
  @ApiProperty({ ...instant, description: 'null: it runs' }) endedAt!: string | null;

  @ApiProperty({ ...instant, description: 'null: no overdue payment' }) pastDueSince!: string | null;
  @ApiProperty({ example: false }) collectionPaused!: boolean;

  @ApiProperty({ ...instant, description: 'End of a granted tier; null: none' }) expiresAt!: string | null;
}

class SubscriptionStateResponse {
  @ApiProperty({ enum: TIERS, example: 'pro' }) tier!: Tier;
  @ApiProperty({ enum: Object.keys(TIER_REASONS) }) reason!: string;

  @ApiProperty(instant) graceEndsAt!: string | null;
  @ApiProperty({
    type: SubscriptionResponse,
    nullable: true,
    description: 'The subscription that determines the tier, or else the last one changed; null: none',
  })
  subscription!: SubscriptionResponse | null;
  @ApiProperty({ description: 'More than one: the project is billed twice', example: 1 })
  liveSubscriptions!: number;
  @ApiProperty({ description: 'Whether checkout and portal are available' }) billingAvailable!: boolean;
}

const NOT_CONFIGURED = { description: '`billing_not_configured`: billing is not set up on this service' };

/** Plan and payment of a project (design §5). */
@ApiTags('Billing')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class BillingController {
  constructor(private readonly billing: BillingService) {}

  /** The effective tier and its subscription, without a call to Stripe. */
  @Get('subscription')
  @ProjectBilling('viewer')
  @ApiOperation({ summary: 'Read the subscription of the project' })
  @ApiOkResponse({ type: SubscriptionStateResponse })
  async read(@CurrentProject() project: Project): Promise<SubscriptionStateResponse> {
    return presentSubscription(await this.billing.read(project, new Date()));
  }

  /**
   * A Stripe Checkout page that sells `tier` for `interval`. 409 `subscription_exists` with
   * `portalUrl` if the project has a live subscription, which the portal can change.
   */
  @Post('billing/checkout')
  @HttpCode(200)
  @ProjectBilling('owner')
  @ApiBodyExample({ tier: 'pro', interval: 'month' })
  @ApiOperation({ summary: 'Start a checkout' })
  @ApiOkResponse({ type: BillingUrlResponse })
  @ApiConflictResponse({ description: '`subscription_exists`, with `portalUrl`' })
  @ApiServiceUnavailableResponse(NOT_CONFIGURED)
  async checkout(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() body: CheckoutBody,
  ): Promise<BillingUrlResponse> {
    return { url: await this.billing.checkout(project, body, author) };
  }

  /**
   * Stripe's pages for invoices, payment method, changes and cancellation. 409
   * `no_billing_customer` before any checkout.
   */
  @Post('billing/portal')
  @HttpCode(200)
  @ProjectBilling('owner')
  @ApiOperation({ summary: "Open the billing provider's customer portal" })
  @ApiOkResponse({ type: BillingUrlResponse })
  @ApiConflictResponse({ description: '`no_billing_customer`' })
  @ApiServiceUnavailableResponse(NOT_CONFIGURED)
  async portal(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
  ): Promise<BillingUrlResponse> {
    return { url: await this.billing.portal(project, author) };
  }

  /**
   * Fetches from Stripe now, e.g. after returning from a checkout, and returns the same as `GET
   * …/subscription`.
   */
  @Post('billing/sync')
  @HttpCode(200)
  @ProjectBilling('owner')
  @ApiOperation({ summary: 'Synchronize the subscription now' })
  @ApiOkResponse({ type: SubscriptionStateResponse })
  @ApiServiceUnavailableResponse(NOT_CONFIGURED)
  async sync(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
  ): Promise<SubscriptionStateResponse> {
    return presentSubscription(await this.billing.sync(project, author, new Date()));
  }
}

/** The response of `GET …/subscription`, without the provider's ids. */
function presentSubscription(state: BillingState): SubscriptionStateResponse {
  const { resolved, subscription, liveSubscriptions, billingAvailable } = state;
  return {
    tier: resolved.tier,
    reason: resolved.reason,
    graceEndsAt: iso(resolved.graceEndsAt),
    subscription: subscription && {
      id: subscription.id,
      provider: subscription.provider,
      tier: subscription.tier,
      interval: subscription.interval,
      status: subscription.status,
      currentPeriodStart: iso(subscription.currentPeriodStart),
      currentPeriodEnd: iso(subscription.currentPeriodEnd),
      cancelAt: iso(subscription.cancelAt),
      endedAt: iso(subscription.endedAt),
      pastDueSince: iso(subscription.pastDueSince),
      collectionPaused: subscription.collectionPaused,
      expiresAt: iso(subscription.expiresAt),
    },
    liveSubscriptions,
    billingAvailable,
  };
}

function iso(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}
