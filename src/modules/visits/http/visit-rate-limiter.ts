import { Injectable } from '@nestjs/common';
import { ClientRateLimiter } from '../../../platform/http/client-rate-limiter.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type VisitSettings, visitSettings } from '../visits.settings.js';

/** Projects that one network may visit at the full rate. */
const PROJECTS_PER_NETWORK = 10;
/** Visitors at the full rate before the shared limit of an unverified proxy applies. */
const VISITORS_PER_PROXY = 10;

/** Limits page visits in this process. */
@Injectable()
export class VisitRateLimiter extends ClientRateLimiter {
  constructor(@InjectSettings(visitSettings) { ratePerMinute }: VisitSettings) {
    super({
      perProject: ratePerMinute,
      perNetwork: ratePerMinute * PROJECTS_PER_NETWORK,
      perProxy: ratePerMinute * VISITORS_PER_PROXY,
      unknownProjectPoints: PROJECTS_PER_NETWORK,
      refusal: 'Too many page visits from one address.',
    });
  }
}
