import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import type { HttpMount } from '../../http/http-mount.js';
import { ConsentModule } from '../consent.module.js';
import { AnalyticsController } from './analytics.controller.js';
import { ConsentController } from './consent.controller.js';
import { ExportController } from './export.controller.js';
import { IngestRateLimiter } from './ingest-rate-limiter.js';
import { IngestEndpoint } from './ingest.endpoint.js';
import { IngestMetrics } from './ingest.metrics.js';
import { PrivacyController } from './privacy.controller.js';
import { RecordsPdf } from './records-pdf.js';
import { VisitorRateLimiter } from './visitor-rate-limiter.js';
import { VisitorController } from './visitor.controller.js';
import { VisitorEndpoint } from './visitor.endpoint.js';
import { VisitorMetrics } from './visitor.metrics.js';

/** The routes of consent. Those that visitors call are served ahead of Express. */
@Module({
  imports: [AccessModule, ConsentModule],
  controllers: [
    ExportController,
    ConsentController,
    AnalyticsController,
    PrivacyController,
    VisitorController,
  ],
  providers: [
    IngestEndpoint,
    IngestRateLimiter,
    IngestMetrics,
    RecordsPdf,
    VisitorEndpoint,
    VisitorRateLimiter,
    VisitorMetrics,
  ],
})
export class ConsentHttpModule implements HttpMount {
  constructor(
    private readonly ingest: IngestEndpoint,
    private readonly visitors: VisitorEndpoint,
  ) {}

  takeRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.ingest.take(request, response) || this.visitors.take(request, response);
  }
}
