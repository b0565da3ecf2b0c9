/** Who made a change, as the audit keeps it: ids, never names or addresses of people. */
export type Author =
  | { kind: 'user' | 'api_key'; id: string; network: string | null }
  /** `id`: what the operator called herself with `--by`; null where the command does not ask. */
  | { kind: 'operator'; id: string | null }
  /** A visitor with her key, of whom nothing is known. */
  | { kind: 'visitor' }
  /** What the billing provider told us. */
  | { kind: 'stripe' }
  /** The service itself, e.g. a reconciliation by the clock. */
  | { kind: 'system' };

/** An author in one word, as older logs (`tier_change`) keep it: `kind:id`, or the kind alone. */
export function authorName(author: Author): string {
  return 'id' in author && author.id !== null ? `${author.kind}:${author.id}` : author.kind;
}

export const AUTHOR_KINDS = ['user', 'api_key', 'visitor', 'operator', 'stripe', 'system'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];
