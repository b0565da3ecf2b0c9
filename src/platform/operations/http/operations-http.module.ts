import { Controller, Get, HttpException, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import type { Response } from 'express';
import { Public } from '../../http/public.decorator.js';
import { ReadinessChecks } from '../application/readiness.js';
import { Metrics } from '../metrics.js';
import { RequestMetrics } from './request-metrics.js';

/** Liveness, readiness and metrics for an operator's tools. */
@ApiExcludeController()
@Controller()
class OperationsController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly checks: ReadinessChecks,
    private readonly metrics: Metrics,
  ) {}

  /** 200 while the process responds, independent of other services. */
  @Get('health/live')
  @Public()
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * 200 if the database responds, is migrated and stores new messages, else 503; the body names the
   * failing part.
   */
  @Get('health/ready')
  @Public()
  async ready(@Res() response: Response): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    try {
      response.json(await this.health.check(this.checks.all));
    } catch (error) {
      if (!(error instanceof HttpException)) throw error;
      response.status(error.getStatus()).json(error.getResponse());
    }
  }

  /** Prometheus text. No label contains a project or visitor. */
  @Get('metrics')
  @Public()
  async scrape(@Res() response: Response): Promise<void> {
    response.setHeader('Content-Type', this.metrics.registry.contentType);
    response.end(await this.metrics.text());
  }
}

/** Health and metrics for an operator's tools. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [OperationsController],
  providers: [ReadinessChecks, RequestMetrics],
})
export class OperationsHttpModule {}
