import { Controller, Get, HttpException, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthCheckService } from '@nestjs/terminus';
import type { Response } from 'express';
import { Public } from '../../access/access.decorators.js';
import { Metrics } from '../../shared/metrics.js';
import { ReadinessChecks } from '../application/readiness.js';

/** What an operator's tools ask: is it alive, can it serve, how is it going. */
@ApiExcludeController()
@Controller()
export class OperationsController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly checks: ReadinessChecks,
    private readonly metrics: Metrics,
  ) {}

  /** 200 as long as the process answers; asks nothing of anybody else. */
  @Get('health/live')
  @Public()
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 where database, queue and migrations are fit to serve, else 503; the body says which is not. */
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

  /** Prometheus text. No project and no visitor stands in a label. */
  @Get('metrics')
  @Public()
  async scrape(@Res() response: Response): Promise<void> {
    response.setHeader('Content-Type', this.metrics.registry.contentType);
    response.end(await this.metrics.text());
  }
}
