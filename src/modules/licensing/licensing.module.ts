import { Module } from '@nestjs/common';
import { LicensingService } from './licensing.service.js';
import { TierSweeper } from './application/tier-sweeper.js';

/** Tiers and the catalogue. */
@Module({ providers: [LicensingService, TierSweeper], exports: [LicensingService] })
export class LicensingModule {}
