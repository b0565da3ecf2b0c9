import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import type { HttpMount } from '../../http/http-mount.js';
import { VisitsModule } from '../visits.module.js';
import { VisitRateLimiter } from './visit-rate-limiter.js';
import { VisitController } from './visit.controller.js';
import { VisitEndpoint } from './visit.endpoint.js';

/** The routes of visits. The one that the loader calls is served ahead of Express. */
@Module({
  imports: [VisitsModule],
  controllers: [VisitController],
  providers: [VisitEndpoint, VisitRateLimiter],
})
export class VisitsHttpModule implements HttpMount {
  constructor(private readonly endpoint: VisitEndpoint) {}

  takeRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.endpoint.take(request, response);
  }
}
