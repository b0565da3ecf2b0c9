import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { ANALYTICS_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/require-tier.decorator.js';
import type { Project } from '../../projects/domain/project.js';
import { GoneSignal } from '../../shared/client-gone.js';
import { fieldErrors } from '../../shared/domain-error.js';
import { IsInstant } from '../../shared/instant.js';
import { ConsentAnalytics, type ConsentAnalyticsAnswer } from '../application/consent-analytics.js';
import { ConsentAnalyticsView } from './analytics.dto.js';
import { ANALYTICS_DAYS_MAX, type AnalyticsInterval, isPeriodAllowed } from '../domain/consent-counts.js';

const DEFAULT_PERIOD_MS = 30 * 24 * 60 * 60 * 1000;
const INTERVALS = Object.keys(ANALYTICS_DAYS_MAX) as AnalyticsInterval[];

export class AnalyticsQuery {
  @ApiPropertyOptional({ description: 'Received at or after; 30 days before `to` by default' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ description: 'Received before; now by default' })
  @IsOptional()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional({ enum: INTERVALS, default: 'day', description: 'In UTC' })
  @IsOptional()
  @IsIn(INTERVALS, { message: `interval must be one of ${INTERVALS.join(', ')}.` })
  interval: AnalyticsInterval = 'day';
}

@ApiTags('Analytics')
@Controller('v1/projects/:projectId/analytics')
export class AnalyticsController {
  constructor(private readonly analytics: ConsentAnalytics) {}

  /** Counts and rates by interval, action and hostname (docs/analytics.md has the definitions). */
  @Get('consents')
  @ProjectRole('viewer')
  @RequireTier(...ANALYTICS_TIERS)
  @ApiOperation({ summary: 'Counts and rates of consents; tier business and above' })
  @ApiOkResponse({ type: ConsentAnalyticsView })
  consents(
    @CurrentProject() project: Project,
    @Query() query: AnalyticsQuery,
    @GoneSignal() gone: AbortSignal,
  ): Promise<ConsentAnalyticsAnswer> {
    const { interval } = query;
    const to = query.to ?? new Date();
    const from = query.from ?? new Date(to.getTime() - DEFAULT_PERIOD_MS);
    if (from >= to) throw fieldErrors([{ field: 'from', message: 'from must be before to.' }]);
    if (!isPeriodAllowed(from, to, interval)) {
      throw fieldErrors([
        {
          field: 'from',
          message: `By ${interval}, at most ${ANALYTICS_DAYS_MAX[interval]} days are counted at once.`,
        },
      ]);
    }
    return this.analytics.answer({ projectId: project.id, from, to, interval }, gone);
  }
}
