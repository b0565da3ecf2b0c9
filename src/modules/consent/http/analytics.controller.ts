import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { ANALYTICS_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/require-tier.decorator.js';
import type { Project } from '../../projects/domain/project.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { PeriodQuery, parsePeriod } from '../../../platform/http/period-query.js';
import { ConsentAnalytics, type ConsentAnalyticsAnswer } from '../application/consent-analytics.js';
import { type ConsentOverviewAnswer, ConsentOverview } from '../application/consent-overview.js';
import {
  AnalyticsResponse,
  ConsentDailyResponse,
  ConsentOverviewResponse,
  OverviewQuery,
} from './analytics.dto.js';
import { ANALYTICS_DAYS_MAX, isPeriodAllowed } from '../domain/consent-counts.js';

@ApiTags('Analytics')
@Controller('v1/projects/:projectId/analytics')
export class AnalyticsController {
  constructor(
    private readonly analytics: ConsentAnalytics,
    private readonly overviews: ConsentOverview,
  ) {}

  /**
   * Records and opt-in rate of today and this month, each with the same elapsed time of the
   * previous one.
   */
  @Get('overview')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Compare today and this month with the previous periods' })
  @ApiOkResponse({ type: ConsentOverviewResponse })
  overview(
    @CurrentProject() project: Project,
    @Query() { timeZone }: OverviewQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<ConsentOverviewAnswer> {
    return this.overviews.answer(project.id, { now: new Date(), timeZone }, gone);
  }

  /**
   * Records and opt-ins of the last 30 days including today, each with the records of 30 days
   * earlier.
   */
  @Get('daily')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the records of the last 30 days by day' })
  @ApiOkResponse({ type: ConsentDailyResponse })
  async daily(
    @CurrentProject() project: Project,
    @Query() { timeZone }: OverviewQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<ConsentDailyResponse> {
    return { days: await this.overviews.daily(project.id, { now: new Date(), timeZone }, gone) };
  }

  /** Counts and rates by interval, action, hostname, region and language (docs/analytics.md has the definitions). */
  @Get('consents')
  @ProjectRole('viewer')
  @RequireTier(...ANALYTICS_TIERS)
  @ApiOperation({ summary: 'Read consent counts and rates; tier business and above' })
  @ApiOkResponse({ type: AnalyticsResponse })
  consents(
    @CurrentProject() project: Project,
    @Query() query: PeriodQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<ConsentAnalyticsAnswer> {
    const now = new Date();
    const period = parsePeriod(query, {
      now,
      daysMax: ANALYTICS_DAYS_MAX,
      isAllowed: isPeriodAllowed,
    });
    return this.analytics.answer({ projectId: project.id, ...period, now }, gone);
  }
}
