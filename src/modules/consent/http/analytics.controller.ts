import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { parsePeriod, PeriodQuery } from '../../../platform/http/period-query.js';
import { TimeZoneName } from '../../../platform/http/time-zone.decorator.js';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { ANALYTICS_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import {
  ConsentAnalytics,
  ConsentOverview,
  type ConsentAnalyticsAnswer,
  type ConsentOverviewAnswer,
} from '../application/consent-analytics.js';
import { ANALYTICS_DAYS_MAX, isPeriodAllowed, type AnalyticsInterval } from '../domain/consent-counts.js';

const share = { type: Number, nullable: true, minimum: 0, maximum: 1 };

/** The definitions are in docs/analytics.md. */
class ConsentRatesResponse {
  @ApiProperty({ ...share, example: 0.65 }) analytics!: number | null;
  @ApiProperty({ ...share, example: 0.5 }) marketing!: number | null;
  @ApiProperty({ ...share, example: 0.6 }) preferences!: number | null;
  @ApiProperty({ ...share, example: 0.45 }) fullAccept!: number | null;
  @ApiProperty({ ...share, example: 0.35 }) rejection!: number | null;
  @ApiProperty({ ...share, example: 0.01 }) withdrawal!: number | null;
}

class ConsentCountsResponse {
  @ApiProperty({ type: 'integer', example: 1284 }) records!: number;
  @ApiProperty({
    type: 'integer',
    description:
      'Choices of visitors who were asked; of one device (visitor key) and day in UTC, only the last. All other counts are of these',
    example: 1240,
  })
  asked!: number;
  @ApiProperty({ type: 'integer', example: 806 }) analytics!: number;
  @ApiProperty({ type: 'integer', example: 620 }) marketing!: number;
  @ApiProperty({ type: 'integer', example: 744 }) preferences!: number;
  @ApiProperty({ type: 'integer', example: 558 }) fullAccept!: number;
  @ApiProperty({ type: 'integer', example: 434 }) rejection!: number;
  @ApiProperty({ type: 'integer', example: 12 }) withdrawal!: number;
  @ApiProperty({ type: ConsentRatesResponse, description: 'Shares of `asked`; null if that is 0' })
  rates!: ConsentRatesResponse;
}

class ConsentCountsAtResponse extends ConsentCountsResponse {
  @ApiProperty({ example: '2026-11-30T00:00:00.000Z' }) at!: Date;
}

class ConsentCountsOfActionResponse extends ConsentCountsResponse {
  @ApiProperty({ example: 'accept_all' }) action!: string;
}

class ConsentCountsOfHostnameResponse extends ConsentCountsResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null: records without a value',
    example: 'shop.example',
  })
  hostname!: string | null;
}

const AUDIENCE_UNKNOWN = 'null: records without a value, or deleted before this was counted';

class ConsentCountsOfRegionResponse extends ConsentCountsResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'US-CA',
    description: `ISO 3166-1, with the ISO 3166-2 subdivision if known; ${AUDIENCE_UNKNOWN}`,
  })
  region!: string | null;
}

class ConsentCountsOfLanguageResponse extends ConsentCountsResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'pt-BR',
    description: `BCP 47 tag; ${AUDIENCE_UNKNOWN}`,
  })
  language!: string | null;
}

class AnalyticsResponse {
  @ApiProperty({ description: 'Start of the first interval', example: '2026-11-01T00:00:00.000Z' })
  from!: Date;
  @ApiProperty({
    description: 'End of the period; the last interval may be incomplete',
    example: '2026-12-01T00:00:00.000Z',
  })
  to!: Date;
  @ApiProperty({ enum: Object.keys(ANALYTICS_DAYS_MAX), example: 'day' }) interval!: AnalyticsInterval;
  @ApiProperty({ type: ConsentCountsResponse }) totals!: ConsentCountsResponse;
  @ApiProperty({ type: [ConsentCountsAtResponse], description: 'One entry per interval' })
  series!: ConsentCountsAtResponse[];
  @ApiProperty({ type: [ConsentCountsOfActionResponse], description: 'Most frequent first' })
  byAction!: ConsentCountsOfActionResponse[];
  @ApiProperty({ type: ConsentCountsResponse, description: 'Sum of all other actions' })
  otherActions!: ConsentCountsResponse;
  @ApiProperty({ type: [ConsentCountsOfHostnameResponse], description: 'Most frequent first' })
  byHostname!: ConsentCountsOfHostnameResponse[];
  @ApiProperty({ type: ConsentCountsResponse, description: 'Sum of all other hostnames' })
  otherHostnames!: ConsentCountsResponse;
  @ApiProperty({ type: [ConsentCountsOfRegionResponse], description: 'Most frequent first' })
  byRegion!: ConsentCountsOfRegionResponse[];
  @ApiProperty({ type: ConsentCountsResponse, description: 'Sum of all other regions' })
  otherRegions!: ConsentCountsResponse;
  @ApiProperty({ type: [ConsentCountsOfLanguageResponse], description: 'Most frequent first' })
  byLanguage!: ConsentCountsOfLanguageResponse[];
  @ApiProperty({ type: ConsentCountsResponse, description: 'Sum of all other languages' })
  otherLanguages!: ConsentCountsResponse;
}

class OverviewQuery {
  @TimeZoneName()
  timeZone: string = 'UTC';
}

class PeriodRecordsResponse {
  @ApiProperty({ example: '2026-12-01T00:00:00.000Z' }) from!: Date;
  @ApiProperty({ example: '2026-12-01T09:30:00.000Z' }) to!: Date;
  @ApiProperty({ type: 'integer', example: 1284 }) records!: number;
  @ApiProperty({ type: 'integer', description: 'Choices, one per device and day', example: 1240 })
  asked!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Of the choices, the share that grants at least one category; null without any',
    example: 0.65,
  })
  optInRate!: number | null;
}

class PeriodComparisonResponse {
  @ApiProperty({ type: PeriodRecordsResponse }) now!: PeriodRecordsResponse;
  @ApiProperty({
    type: PeriodRecordsResponse,
    description: 'The same elapsed time of the previous period',
    example: {
      from: '2026-11-30T00:00:00.000Z',
      to: '2026-11-30T09:30:00.000Z',
      records: 1175,
      asked: 1130,
      optInRate: 0.62,
    },
  })
  before!: PeriodRecordsResponse;
}

class ConsentOverviewResponse {
  @ApiProperty({ type: PeriodComparisonResponse }) today!: PeriodComparisonResponse;
  @ApiProperty({ type: PeriodComparisonResponse }) month!: PeriodComparisonResponse;
}

class DailyRecordsResponse {
  @ApiProperty({
    description: 'Start of the day in the time zone of the request',
    example: '2026-12-01T00:00:00.000Z',
  })
  at!: Date;
  @ApiProperty({ type: 'integer', example: 1284 }) records!: number;
  @ApiProperty({ type: 'integer', description: 'Choices, one per device and day', example: 1240 })
  asked!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Of `asked`, choices that grant at least one category',
    example: 806,
  })
  optedIn!: number;
  @ApiProperty({ type: 'integer', description: 'Records of the day 30 days earlier', example: 1175 })
  recordsBefore!: number;
}

class ConsentDailyResponse {
  @ApiProperty({ type: [DailyRecordsResponse], description: '30 days, oldest first; the last one is today' })
  days!: DailyRecordsResponse[];
}

@ApiTags('Analytics')
@Controller('v1/projects/:projectId/analytics')
export class AnalyticsController {
  constructor(
    private readonly analytics: ConsentAnalytics,
    private readonly overviews: ConsentOverview,
  ) {}

  /** Records and opt-in rate of today and this month, each with the same elapsed time of the previous one. */
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

  /** Records and opt-ins of the last 30 days including today, each with the records of 30 days earlier. */
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
    const period = parsePeriod(query, { now, daysMax: ANALYTICS_DAYS_MAX, isAllowed: isPeriodAllowed });
    return this.analytics.answer({ projectId: project.id, ...period, now }, gone);
  }
}
