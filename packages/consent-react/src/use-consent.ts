'use client';

import { type ConsentCategory, isServiceAllowed, readGrants, watchGrants } from '@service/consent-client';
import { useContext, useSyncExternalStore } from 'react';
import { KnownChoiceContext } from './consent-provider.js';

/** A service by its id, where visitors choose by service; `category` is only for servers (see `ConsentProvider`). */
export interface ConsentService {
  service: string;
  category?: ConsentCategory;
}

/**
 * Whether the visitor allows this category or service now. Changes with the visitor's choices, also in other
 * tabs. On the server and during hydration, it is the value passed to `ConsentProvider`, else
 * false; afterwards the loader decides.
 */
export function useConsent(wanted: ConsentCategory | ConsentService): boolean {
  const { service, category }: Partial<ConsentService> =
    typeof wanted === 'string' ? { category: wanted } : wanted;
  const choice = useContext(KnownChoiceContext);
  const known =
    (service === undefined ? undefined : choice?.services?.[service]) ??
    (category === undefined ? undefined : choice?.[category]) ??
    false;
  const read = (): boolean | null | undefined =>
    service === undefined ? category && readGrants()?.[category] : isServiceAllowed(service);
  return useSyncExternalStore(
    watchGrants,
    () => read() ?? known,
    () => known,
  );
}
