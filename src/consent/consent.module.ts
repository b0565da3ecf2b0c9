import { Module } from '@nestjs/common';
import { ConsentReader } from './application/consent.reader.js';
import { ConsentService } from './application/consent.service.js';
import { ConsentEvents } from './consent.events.js';
import { ConsentController } from './http/consent.controller.js';
import { IngestLimit } from './http/ingest-limit.js';
import { ConsentPartitions } from './consent-partitions.js';
import { ConsentWriter } from './infrastructure/consent-writer.js';
import { IngestMetrics } from './infrastructure/ingest.metrics.js';

@Module({
  controllers: [ConsentController],
  providers: [
    ConsentEvents,
    ConsentService,
    ConsentReader,
    ConsentWriter,
    ConsentPartitions,
    IngestLimit,
    IngestMetrics,
  ],
  exports: [ConsentEvents, ConsentPartitions],
})
export class ConsentModule {}
