'use client';

import { type ConsentCategory, readGrants, watchGrants } from '@service/consent-client';
import { useContext, useSyncExternalStore } from 'react';
import { KnownChoiceContext } from './consent-provider.js';

/**
 * Whether the visitor allows this category now. Changes with the visitor's choices, also in other
 * tabs. On the server and during hydration, it is the value passed to `ConsentProvider`, else
 * false; afterwards the loader decides.
 */
export function useConsent(category: ConsentCategory): boolean {
  const known = useContext(KnownChoiceContext)?.[category] ?? false;
  return useSyncExternalStore(
    watchGrants,
    () => readGrants()?.[category] ?? known,
    () => known,
  );
}
