import { Injectable } from '@nestjs/common';
import { ClientRateLimiter } from '../../../platform/http/client-rate-limiter.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ConsentSettings, consentSettings, VISITORS_OF_A_PROXY } from '../consent.settings.js';

/** Limits requests with visitor keys in this process, over all projects (setting VISITOR_RATE_PER_MINUTE). */
@Injectable()
export class VisitorRateLimiter extends ClientRateLimiter {
  constructor(@InjectSettings(consentSettings) { visitorRatePerMinute }: ConsentSettings) {
    super({
      perProject: 0,
      perNetwork: visitorRatePerMinute,
      perProxy: visitorRatePerMinute * VISITORS_OF_A_PROXY,
      unknownProjectPoints: 1,
      refusal: 'Too many requests from one address. Try again later.',
    });
  }
}
