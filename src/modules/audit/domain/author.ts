/** Who made a change, as the audit keeps it: ids, never names or addresses of people. */
export type Author =
  | { kind: 'user' | 'api_key'; id: string; network: string | null }
  /** `id`: the operator's name from `--by`; null where the command has no such option. */
  | { kind: 'operator'; id: string | null }
  /** An anonymous visitor with a visitor key. */
  | { kind: 'visitor' }
  /** A change reported by the billing provider. */
  | { kind: 'stripe' }
  /** The service itself, e.g. a reconciliation by the clock. */
  | { kind: 'system' };

/** An author in one word, as older logs (`tier_change`) keep it: `kind:id`, or the kind alone. */
export function authorName(author: Author): string {
  return 'id' in author && author.id !== null ? `${author.kind}:${author.id}` : author.kind;
}

export const AUTHOR_KINDS = ['user', 'api_key', 'visitor', 'operator', 'stripe', 'system'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];
