import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../../../platform/operations/metrics.js';
import { ConsentWriter } from './consent-writer.js';

/** Load of the writer. */
@Injectable()
export class ConsentWriterMetrics {
  constructor(metrics: Metrics, writer: ConsentWriter) {
    const registers = [metrics.registry];
    new Gauge({
      name: 'consent_ingest_waiting_rows',
      help: 'Rows waiting for a free database connection.',
      registers,
      collect() {
        this.set(writer.waitingRows);
      },
    });
    new Gauge({
      name: 'consent_ingest_pool_connections',
      help: 'Ingest connections by state.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(writer.poolUse)) this.set({ state }, count);
      },
    });
  }
}
