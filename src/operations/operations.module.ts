import { Module, type OnModuleInit } from '@nestjs/common';
import { MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import { TerminusModule } from '@nestjs/terminus';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { Metrics } from '../shared/metrics.js';
import { OperationsController } from './operations.controller.js';
import { ReadinessChecks } from './readiness.js';

/** What an operator sees: health, metrics. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [OperationsController],
  providers: [ReadinessChecks],
})
export class OperationsModule implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly orm: MikroORM,
  ) {}

  async onModuleInit(): Promise<void> {
    collectDefaultMetrics({ register: this.metrics.registry });
    const connection = this.orm.em.getConnection() as PostgreSqlConnection;
    const pool = await connection.getNativeClient();
    new Gauge({
      name: 'database_pool_connections',
      help: 'Connections of the ORM by state: total, idle, and callers that wait for one.',
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
