import { isWorthStoring, type Target } from '../target.js';

/** Results are not used: the next step waits for the API itself. */
const ignore = (): void => {};

/** https://shopify.dev/docs/api/customer-privacy */
export const shopify: Target = {
  first: () => [
    { call: 'Shopify.loadFeatures', args: [[{ name: 'consent-tracking-api', version: '0.1' }], ignore] },
  ],
  decided(state) {
    const { analytics, marketing, preferences } = state.granted;
    const consent = { analytics, marketing, preferences, sale_of_data: marketing };
    return isWorthStoring(state)
      ? [{ call: 'Shopify.customerPrivacy.setTrackingConsent', args: [consent, ignore] }]
      : [];
  },
};
