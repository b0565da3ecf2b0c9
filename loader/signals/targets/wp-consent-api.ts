import { isWorthStoring, type State, type Step, type Target } from '../target.js';

const store = ({ granted: { analytics, marketing, preferences } }: State): Step[] =>
  Object.entries({
    functional: true,
    preferences,
    statistics: analytics,
    'statistics-anonymous': analytics,
    marketing,
  }).map(([category, isGranted]) => ({
    call: 'wp_set_consent',
    args: [category, isGranted ? 'allow' : 'deny'],
  }));

/** https://wordpress.org/plugins/wp-consent-api/ */
export const wpConsentApi: Target = {
  first: ({ mode }) => [
    { set: 'wp_consent_type', to: mode === 'opt_in' ? 'optin' : 'optout' },
    { event: 'wp_consent_type_defined' },
  ],
  undecided: store,
  decided: (state) => (isWorthStoring(state) ? store(state) : []),
};
