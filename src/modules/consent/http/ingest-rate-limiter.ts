import { Injectable } from '@nestjs/common';
import { ClientRateLimiter } from '../../../platform/http/client-rate-limiter.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ConsentSettings, consentSettings } from '../consent.settings.js';

/** Limits consents in this process, by the settings INGEST_RATE_PER_MINUTE, INGEST_NETWORK_… and INGEST_PROXY_…. */
@Injectable()
export class IngestRateLimiter extends ClientRateLimiter {
  constructor(@InjectSettings(consentSettings) settings: ConsentSettings) {
    super({
      perProject: settings.ratePerMinute,
      perNetwork: settings.networkRatePerMinute,
      perProxy: settings.proxyRatePerMinute,
      unknownProjectPoints: 10,
      refusal: 'Too many consents from one address. Try again later.',
    });
  }
}
