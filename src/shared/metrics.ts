import { Global, Injectable, Module } from '@nestjs/common';
import { Registry } from 'prom-client';

/** The metrics of one application; each module registers its own, and `/metrics` prints them all. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
}

@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
