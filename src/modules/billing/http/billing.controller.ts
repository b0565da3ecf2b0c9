import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Author } from '../../audit/domain/author.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Project } from '../../projects/domain/project.js';
import { BillingService } from '../application/billing.service.js';
import { BillingUrlResponse, CheckoutBody, SubscriptionStateResponse } from './billing.dto.js';
import { presentSubscription } from './present-subscription.js';

const NOT_CONFIGURED = { description: '`billing_not_configured`: billing is not set up on this service' };

/** Plan and payment of a project (design §5). */
@ApiTags('Billing')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class BillingController {
  constructor(private readonly billing: BillingService) {}

  /** The effective tier and its subscription, without a call to Stripe. */
  @Get('subscription')
  @ProjectRole('viewer')
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
  @ProjectRole('owner')
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
  @ProjectRole('owner')
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
  @ProjectRole('owner')
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
