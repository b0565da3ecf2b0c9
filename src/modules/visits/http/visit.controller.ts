import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiAnyOrigin, ApiRefusals } from '../../../platform/openapi/api-description.js';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { ANALYTICS_DAYS_MAX, isPeriodAllowed } from '../../consent/domain/consent-counts.js';
import { ANALYTICS_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/require-tier.decorator.js';
import type { Project } from '../../projects/domain/project.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { PeriodQuery, parsePeriod } from '../../../platform/http/period-query.js';
import { type SiteAnswer, SiteAnalytics } from '../application/site-analytics.js';
import { SeenHostsResponse, SiteAnalyticsResponse, VISIT_BODY_SCHEMA } from './visit.dto.js';
import { VisitEndpoint } from './visit.endpoint.js';

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

  /**
   * Counts by interval, hostname, country, language and device; docs/analytics.md has the
   * definitions.
   */
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
