import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import { TerminusModule } from '@nestjs/terminus';
import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import type { HttpMount } from '../http/http-mount.js';
import { Metrics } from '../shared/metrics.js';
import { OperationsController } from './http/operations.controller.js';
import { RequestMetrics } from './http/request-metrics.js';
import { ReadinessChecks } from './application/readiness.js';
import { ServiceMetrics } from './infrastructure/service-metrics.js';
import { MAINTENANCE_QUEUE, MaintenanceProcessor } from './application/maintenance.processor.js';

/** Health and metrics, and maintenance on workers. */
@Module({})
export class OperationsModule implements OnModuleInit, HttpMount {
  readonly aroundRoutes: RequestHandler;

  constructor(
    private readonly metrics: Metrics,
    private readonly orm: MikroORM,
    requests: RequestMetrics,
  ) {
    this.aroundRoutes = requests.measure;
  }

  static forRoot({ runWorker }: { runWorker: boolean }): DynamicModule {
    return {
      module: OperationsModule,
      imports: [
        TerminusModule.forRoot({ logger: false }),
        ...(runWorker ? [BullModule.registerQueue({ name: MAINTENANCE_QUEUE })] : []),
      ],
      controllers: [OperationsController],
      providers: [
        ReadinessChecks,
        RequestMetrics,
        ServiceMetrics,
        ...(runWorker ? [MaintenanceProcessor] : []),
      ],
    };
  }

  async onModuleInit(): Promise<void> {
    collectDefaultMetrics({ register: this.metrics.registry });
    const connection = this.orm.em.getConnection() as PostgreSqlConnection;
    const pool = await connection.getNativeClient();
    new Gauge({
      name: 'database_pool_connections',
      help: 'ORM connections by state: total, idle, and waiting callers.',
      labelNames: ['state'],
      registers: [this.metrics.registry],
      collect() {
        this.set({ state: 'total' }, pool.totalCount);
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'waiting' }, pool.waitingCount);
      },
    });
  }
}
