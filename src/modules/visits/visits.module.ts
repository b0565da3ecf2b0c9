import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { VisitCounter, VisitMetrics, VisitRetention } from './application/visit-counter.js';
import { SiteAnalytics } from './application/site-analytics.js';

/** Page views and loads, counted per day. */
@Module({
  imports: [ProjectsModule],
  providers: [VisitRetention, SiteAnalytics, VisitCounter, VisitMetrics],
  exports: [SiteAnalytics, VisitCounter, VisitMetrics],
})
export class VisitsModule {}
