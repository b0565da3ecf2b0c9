import { type State, stateOf, type Step, type Target } from '../target.js';

const consent = ({ granted }: State): Step[] => [
  {
    call: 'clarity',
    args: [
      'consentv2',
      { ad_Storage: stateOf(granted.marketing), analytics_Storage: stateOf(granted.analytics) },
    ],
  },
];

/** https://learn.microsoft.com/en-us/clarity/setup-and-installation/clarity-consent-api-v2 */
export const microsoftClarity: Target = {
  queue: { name: 'clarity', as: 'function' },
  undecided: consent,
  decided: consent,
};
