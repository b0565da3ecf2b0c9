import type { Category, Consent, Granted } from '../site';
import type { State } from './target';

export type { State } from './target';

/** Of a document that names none. */
const EVENT_NAME = 'consent_choice';

/** The state after the loader's grants; undefined: the visitor has not decided. */
export const stateFrom = ({ choice, mode, modes, configuration }: Consent, granted: Granted): State => {
  const is = (category: Category): boolean => granted?.[category] === true;
  return {
    granted: {
      analytics: is('analytics'),
      marketing: is('marketing'),
      preferences: is('preferences'),
    },
    isChosen: choice !== null,
    mode,
    // An older loader has one for all.
    modes: modes ?? { analytics: mode, marketing: mode, preferences: mode },
    eventName: configuration?.dataLayerEvent ?? EVENT_NAME,
  };
};
