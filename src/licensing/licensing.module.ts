import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { PricingPageController } from './http/pricing-page.controller.js';
import { PricingController } from './http/pricing.controller.js';
import { TierController } from './http/tier.controller.js';
import { LicensingService } from './licensing.service.js';
import { TierGuard } from './tier.guard.js';
import { TierSweeper } from './application/tier-sweeper.js';

/** Tiers, the catalogue and `@RequireTier()`. Its guard runs behind the access guard (see AppModule). */
@Module({
  controllers: [TierController, PricingController, PricingPageController],
  providers: [LicensingService, TierSweeper, { provide: APP_GUARD, useClass: TierGuard }],
  exports: [LicensingService],
})
export class LicensingModule {}
