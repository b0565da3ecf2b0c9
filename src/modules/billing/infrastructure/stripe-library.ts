import { loadOnDemand } from '../../../platform/process/load-on-demand.js';

/**
 * Stripe's library, loaded on demand: a thousand kilobytes that services without billing never use.
 */
export function stripeLibrary(): typeof import('stripe').Stripe {
  // Its CommonJS module is the class itself.
  return loadOnDemand('stripe') as typeof import('stripe').Stripe;
}
