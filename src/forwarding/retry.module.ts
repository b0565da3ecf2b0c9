import { Module } from '@nestjs/common';
import { ConsentModule } from '../consent/consent.module.js';
import { LicensingModule } from '../licensing/licensing.module.js';
import { RetryScheduler } from './application/retry-scheduler.js';

/** Retries that are due. Only workers have this module. */
@Module({ imports: [ConsentModule, LicensingModule], providers: [RetryScheduler] })
export class RetryModule {}
