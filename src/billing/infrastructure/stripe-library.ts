import { loadOnDemand } from '../../shared/load-on-demand.js';

/** Stripe's library: a thousand kilobytes, which services without billing never use. */
export function stripeLibrary(): typeof import('stripe').Stripe {
  // Its CommonJS module is the class itself.
  return loadOnDemand('stripe') as typeof import('stripe').Stripe;
}
