import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import type { RequestHandler } from 'express';
import type { HttpMount } from '../../http/http-mount.js';
import { ReadinessChecks } from '../application/readiness.js';
import { OperationsController } from './operations.controller.js';
import { RequestMetrics } from './request-metrics.js';

/** Health and metrics for an operator's tools. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [OperationsController],
  providers: [ReadinessChecks, RequestMetrics],
})
export class OperationsHttpModule implements HttpMount {
  readonly aroundRoutes: RequestHandler;

  constructor(requests: RequestMetrics) {
    this.aroundRoutes = requests.measure;
  }
}
