import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import { MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { Maintenance } from './maintenance.js';
import { Metrics } from './metrics.js';
import { ServiceMetrics } from './infrastructure/service-metrics.js';
import { MAINTENANCE_QUEUE, MaintenanceProcessor } from './application/maintenance.processor.js';

/** Metrics of the process, and maintenance, which workers run. Health and the routes are in OperationsHttpModule. */
@Global()
@Module({})
export class OperationsModule implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly orm: MikroORM,
  ) {}

  static forRoot({ runWorker }: { runWorker: boolean }): DynamicModule {
    return {
      module: OperationsModule,
      imports: runWorker ? [BullModule.registerQueue({ name: MAINTENANCE_QUEUE })] : [],
      providers: [Metrics, Maintenance, ServiceMetrics, ...(runWorker ? [MaintenanceProcessor] : [])],
      exports: [Metrics, Maintenance],
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
