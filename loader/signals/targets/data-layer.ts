import { type State, stateOf, type Step, type Target } from '../target.js';

/** A function of our Google Tag Manager template (integrations/google-tag-manager). */
const TEMPLATE_CALLBACK = 'serviceConsentTagManager';

const categoriesOf = ({ granted: { analytics, marketing, preferences } }: State): object => ({
  analytics: stateOf(analytics),
  marketing: stateOf(marketing),
  preferences: stateOf(preferences),
});

const push = (state: State): Step => ({
  call: 'dataLayer.push',
  args: [{ event: state.eventName, consentCategories: categoriesOf(state) }],
});

/** An event for tag managers. */
export const dataLayer: Target = {
  queue: { name: 'dataLayer', as: 'array' },
  undecided: (state) => [push(state)],
  // First the state, so that it holds when the event's tags run.
  decided: (state) => [
    { call: TEMPLATE_CALLBACK, args: [categoriesOf(state)], isOptional: true },
    push(state),
  ],
};
