'use client';

import type { ConsentCategory } from '@service/consent-client';
import { createContext, type ReactNode } from 'react';

/** The flags of a choice that the server read from the request (`readChoice`). */
export type KnownChoice = Readonly<Record<ConsentCategory, boolean>> & {
  readonly services?: Readonly<Record<string, boolean>>;
};

/** null: no choice is known on the server. */
export const KnownChoiceContext = createContext<KnownChoice | null>(null);

/**
 * Provides the visitor's choice from the server to the components below, so that the first HTML
 * already contains the allowed content. Without it, the first HTML has placeholders.
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
