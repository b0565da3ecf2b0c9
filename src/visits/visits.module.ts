import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import type { HttpMount } from '../http/http-mount.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { VisitRetention } from './application/visit-retention.js';
import { LoaderSightings } from './application/loader-sightings.js';
import { SiteAnalytics } from './application/site-analytics.js';
import { VisitCounter } from './application/visit-counter.js';
import { VisitController } from './http/visit.controller.js';
import { VisitEndpoint } from './http/visit.endpoint.js';
import { VisitRateLimiter } from './http/visit-rate-limiter.js';
import { VisitMetrics } from './application/visit.metrics.js';

@Module({
  imports: [ProjectsModule],
  controllers: [VisitController],
  providers: [
    VisitRetention,
    SiteAnalytics,
    LoaderSightings,
    VisitCounter,
    VisitEndpoint,
    VisitRateLimiter,
    VisitMetrics,
  ],
})
export class VisitsModule implements HttpMount {
  constructor(private readonly endpoint: VisitEndpoint) {}

  takeRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.endpoint.take(request, response);
  }
}
