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

/** Where visitors choose by service, a system follows the services of its vendor, in the categories that have one. */
export const followServices = (
  state: State,
  { consent, granted, name }: { consent: Consent; granted: Granted; name: string },
): State => {
  const { vendors, services = [] } = consent.configuration ?? {};
  const ids = vendors?.[name];
  const chosen = granted?.services;
  if (!ids || !chosen) return state;
  const is = (category: Category): boolean => {
    const own = services.filter(({ id = '', category: of }) => of === category && ids.includes(id));
    return own.length > 0 ? own.every(({ id = '' }) => chosen[id]) : state.granted[category];
  };
  return {
    ...state,
    granted: { analytics: is('analytics'), marketing: is('marketing'), preferences: is('preferences') },
  };
};
