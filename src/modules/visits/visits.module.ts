import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { VisitRetention } from './application/visit-retention.js';
import { SiteAnalytics } from './application/site-analytics.js';
import { VisitCounter } from './application/visit-counter.js';
import { VisitMetrics } from './application/visit.metrics.js';

/** Page views and loads, counted per day. */
@Module({
  imports: [ProjectsModule],
  providers: [VisitRetention, SiteAnalytics, VisitCounter, VisitMetrics],
  exports: [SiteAnalytics, VisitCounter, VisitMetrics],
})
export class VisitsModule {}
