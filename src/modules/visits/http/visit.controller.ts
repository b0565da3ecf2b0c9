import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { parsePeriod, PeriodQuery } from '../../../platform/http/period-query.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { ApiAnyOrigin, ApiRefusals } from '../../../platform/openapi/api-description.js';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import {
  ANALYTICS_DAYS_MAX,
  isPeriodAllowed,
  type AnalyticsInterval,
} from '../../consent/domain/consent-counts.js';
import { ANALYTICS_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import { SiteAnalytics, type SiteAnswer } from '../application/site-analytics.js';
import { BANNER_OUTCOMES } from '../domain/visit.js';
import { VisitEndpoint } from './visit.endpoint.js';

/** Only for documentation; the endpoint checks it by hand. */
const VISIT_BODY_SCHEMA = {
  type: 'object',
  properties: {
    banner: {
      type: 'string',
      enum: [...BANNER_OUTCOMES],
      default: 'none',
      description: 'Result of the banner; `none`: not shown',
    },
    region: {
      description: 'Country, optionally with a subdivision; others count as unknown',
      example: 'US-CA',
    },
  },
  example: { banner: 'chosen', region: 'FR' },
};

class SiteCountsResponse {
  @ApiProperty({ type: 'integer', example: 5120 }) visits!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Visits on which the banner asked for a choice',
    example: 1310,
  })
  shown!: number;
  @ApiProperty({ type: 'integer', example: 1240 }) chosen!: number;
  @ApiProperty({ type: 'integer', description: 'Banner shown, but no choice made', example: 70 })
  ignored!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'chosen / shown',
    example: 0.95,
  })
  interactionRate!: number | null;
}

class SiteCountsAtResponse extends SiteCountsResponse {
  @ApiProperty({ example: '2026-11-30T00:00:00.000Z' }) at!: Date;
}

class NamedSiteCountsResponse extends SiteCountsResponse {
  @ApiProperty({ type: String, nullable: true, description: 'null: unknown and all others' })
  name!: string | null;
}

class SiteAnalyticsResponse {
  @ApiProperty({ description: 'Start of the first interval', example: '2026-11-01T00:00:00.000Z' })
  from!: Date;
  @ApiProperty({
    description: 'End of the hour in which the period ends',
    example: '2026-12-01T00:00:00.000Z',
  })
  to!: Date;
  @ApiProperty({ enum: Object.keys(ANALYTICS_DAYS_MAX), example: 'day' }) interval!: AnalyticsInterval;
  @ApiProperty({ type: SiteCountsResponse }) totals!: SiteCountsResponse;
  @ApiProperty({ type: [SiteCountsAtResponse], description: 'One entry per interval' })
  series!: SiteCountsAtResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: 'Most frequent first' })
  byHostname!: NamedSiteCountsResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: 'Countries' })
  byRegion!: NamedSiteCountsResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: "Visitors' browser languages" })
  byLanguage!: NamedSiteCountsResponse[];
  @ApiProperty({ type: [NamedSiteCountsResponse], description: 'desktop, phone, tablet' })
  byDevice!: NamedSiteCountsResponse[];
}

class SeenHostResponse {
  @ApiProperty({ example: 'www.example.com' }) hostname!: string;
  @ApiProperty() lastSeenAt!: Date;
}

class SeenHostsResponse {
  @ApiProperty({ type: [SeenHostResponse], description: 'Most recently seen first' })
  items!: SeenHostResponse[];
}

@ApiTags('Analytics')
@Controller('v1/projects/:projectId')
export class VisitController {
  constructor(
    private readonly endpoint: VisitEndpoint,
    private readonly analytics: SiteAnalytics,
  ) {}

  /**
   * Only for documentation: the server passes these requests to the endpoint before Express
   * (visit.endpoint.ts).
   */
  @Post('visits')
  @Public()
  @ApiAnyOrigin()
  @ApiRefusals(403, 429)
  @ApiOperation({ summary: 'Count a page view; public, called by the loader and the banner' })
  @ApiConsumes('application/json', 'text/plain')
  @ApiBody({ required: true, schema: VISIT_BODY_SCHEMA })
  @ApiNoContentResponse({ description: 'Counted, without anything that distinguishes visitors' })
  count(
    @Param('projectId') projectId: string,
    @Req() request: IncomingMessage,
    @Res() response: ServerResponse,
  ): Promise<void> {
    return this.endpoint.post(projectId, request, response);
  }

  /** Counts by interval, hostname, country, language and device; docs/analytics.md has the definitions. */
  @Get('analytics/site')
  @ProjectRole('viewer')
  @RequireTier(...ANALYTICS_TIERS)
  @ApiOperation({ summary: 'Read page visits and banner interactions; tier business and above' })
  @ApiOkResponse({ type: SiteAnalyticsResponse })
  site(
    @CurrentProject() project: Project,
    @Query() query: PeriodQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<SiteAnswer> {
    const period = parsePeriod(query, {
      now: new Date(),
      daysMax: ANALYTICS_DAYS_MAX,
      isAllowed: isPeriodAllowed,
    });
    return this.analytics.answer({ projectId: project.id, ...period }, gone);
  }

  /** The hosts on which the loader ran in the last 30 days: whether it is installed. */
  @Get('analytics/last-seen')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the hosts where the loader was seen, with the latest time' })
  @ApiOkResponse({ type: SeenHostsResponse })
  async lastSeen(
    @CurrentProject() project: Project,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<SeenHostsResponse> {
    return { items: await this.analytics.lastSeen(project.id, new Date(), gone) };
  }
}
