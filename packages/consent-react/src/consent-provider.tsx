'use client';

import type { ConsentCategory } from '@service/consent-client';
import { createContext, type ReactNode } from 'react';

/** The flags of a choice that the server read from the request (`readChoice`). */
export type KnownChoice = Readonly<Record<ConsentCategory, boolean>>;

/** null: the server knows no choice. */
export const KnownChoiceContext = createContext<KnownChoice | null>(null);

/**
 * Gives the server's knowledge of the visitor's choice to the components below, so that the first HTML already has what
 * the visitor allowed. Without it, the first HTML has placeholders.
 */
export function ConsentProvider({
  choice,
  children,
}: {
  choice: KnownChoice | null;
  children: ReactNode;
}): ReactNode {
  return <KnownChoiceContext value={choice}>{children}</KnownChoiceContext>;
}
