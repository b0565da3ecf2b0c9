import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { DeliveryActivityService, DeliveryLogService } from '../application/delivery-log.service.js';
import { ResendService } from '../application/resend.service.js';
import { UndeliveredService } from '../application/undelivered.service.js';
import {
  DeliveryActivityResponse,
  DeliveryActivityQuery,
  DeliveryPageResponse,
  ListDeliveriesQuery,
  ResendChosenBody,
  ResendCountResponse,
  ResendDeliveriesBody,
  ResendManyResultResponse,
  ResendResultResponse,
  ResponseBodyResponse,
  UndeliveredResponse,
} from './delivery.dto.js';

/** The delivery log and manual resends (design §5). */
@ApiTags('Forwarding')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/forwarding/deliveries')
export class DeliveryController {
  constructor(
    private readonly log: DeliveryLogService,
    private readonly resends: ResendService,
    private readonly undelivered: UndeliveredService,
    private readonly activity: DeliveryActivityService,
  ) {}

  /** Delivered and skipped attempts are kept 30 days, failed ones 90. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List finished attempts, newest first' })
  @ApiOkResponse({ type: DeliveryPageResponse })
  list(
    @CurrentProject() project: Project,
    @Query() query: ListDeliveriesQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<DeliveryPageResponse> {
    return this.log.list(project.id, query, gone);
  }

  /** The response may repeat the record, so viewers cannot read it. 404 `delivery_not_found`. */
  @Get(':deliveryId/response-body')
  @Header('Cache-Control', 'no-store')
  @ProjectRole('editor')
  @ApiParam({ name: 'deliveryId', format: 'uuid' })
  @ApiOperation({ summary: 'Read the stored response body of a failed attempt' })
  @ApiOkResponse({ type: ResponseBodyResponse })
  async responseBody(
    @CurrentProject() project: Project,
    @Param('deliveryId') deliveryId: string,
  ): Promise<ResponseBodyResponse> {
    return { responseBody: await this.log.readResponseBody(project.id, deliveryId) };
  }

  /** Records that are neither queued nor retried, counted up to 1,000; failed attempts are kept 90 days. */
  @Get('undelivered')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Count the records that were not delivered' })
  @ApiOkResponse({ type: UndeliveredResponse })
  undeliveredCount(@CurrentProject() project: Project): Promise<UndeliveredResponse> {
    return this.undelivered.count(project.id);
  }

  /** For busy endpoints only the newest attempts are counted, which bounds the query. */
  @Get('activity')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the deliveries of the last 24 hours' })
  @ApiOkResponse({ type: DeliveryActivityResponse })
  readActivity(
    @CurrentProject() project: Project,
    @Query() { timeZone }: DeliveryActivityQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<DeliveryActivityResponse> {
    return this.activity.read(project.id, { now: new Date(), timeZone }, gone);
  }

  /**
   * At most 14 days and 10,000 records at once, 100,000 a day, oldest first; `more` reports whether others remain.
   */
  @Post('resend')
  @HttpCode(202)
  @ProjectRole('editor')
  @RequireTier(...FORWARDING_TIERS)
  @ApiBodyExample({ status: 'failed', from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' })
  @ApiOperation({ summary: 'Resend the records of a period by their latest outcome' })
  @ApiAcceptedResponse({ type: ResendManyResultResponse })
  resendMany(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() body: ResendDeliveriesBody,
  ): Promise<ResendManyResultResponse> {
    return this.resends.many(project.id, body, author);
  }

  /** Counts the records that `POST …/resend` would queue for the same body; changes nothing. */
  @Post('resend/count')
  @HttpCode(200)
  @ProjectRole('editor')
  @RequireTier(...FORWARDING_TIERS)
  @ApiBodyExample({ status: 'failed', from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' })
  @ApiOperation({ summary: 'Count the records that a resend would queue' })
  @ApiOkResponse({ type: ResendCountResponse })
  resendCount(
    @CurrentProject() project: Project,
    @Body() body: ResendDeliveriesBody,
  ): Promise<ResendCountResponse> {
    return this.resends.count(project.id, body);
  }

  /** Up to 200 records in any delivery state; records that are queued already or deleted are skipped. */
  @Post('resend/chosen')
  @HttpCode(202)
  @ProjectRole('editor')
  @RequireTier(...FORWARDING_TIERS)
  @ApiBodyExample({ consentIds: ['01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f'] })
  @ApiOperation({ summary: 'Resend selected records' })
  @ApiAcceptedResponse({ type: ResendManyResultResponse })
  resendChosen(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() { consentIds }: ResendChosenBody,
  ): Promise<ResendManyResultResponse> {
    return this.resends.selected(project.id, consentIds, author);
  }

  /** 404 `consent_not_found` if the record is unknown or past its retention. */
  @Post(':consentId/resend')
  @HttpCode(202)
  @ProjectRole('editor')
  @RequireTier(...FORWARDING_TIERS)
  @ApiOperation({ summary: 'Resend one record' })
  @ApiAcceptedResponse({ type: ResendResultResponse })
  async resendOne(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('consentId') consentId: string,
  ): Promise<ResendResultResponse> {
    return { queued: await this.resends.one(project.id, consentId, author) };
  }
}
