import { Module } from '@nestjs/common';
import { LicensingService } from './licensing.service.js';
import { TierSweeper } from './application/tier-sweeper.js';

@Module({ providers: [LicensingService, TierSweeper], exports: [LicensingService] })
export class LicensingModule {}
