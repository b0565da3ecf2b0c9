import type { Category, Consent, Granted } from '../site';
import type { State } from './target';

export type { State } from './target';

/** Of a document that names none. */
const EVENT_NAME = 'consent_choice';

/** What holds where the loader has granted this; undefined: the visitor has not decided. */
export const stateFrom = ({ choice, mode, configuration }: Consent, granted: Granted): State => {
  const is = (category: Category): boolean => granted?.[category] === true;
  return {
    granted: {
      analytics: is('analytics'),
      marketing: is('marketing'),
      preferences: is('preferences'),
    },
    isChosen: choice !== null,
    mode,
    eventName: configuration?.dataLayerEvent ?? EVENT_NAME,
  };
};
