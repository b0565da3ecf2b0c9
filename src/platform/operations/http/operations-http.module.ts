import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ReadinessChecks } from '../application/readiness.js';
import { OperationsController } from './operations.controller.js';
import { RequestMetrics } from './request-metrics.js';

/** Health and metrics for an operator's tools. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [OperationsController],
  providers: [ReadinessChecks, RequestMetrics],
})
export class OperationsHttpModule {}
