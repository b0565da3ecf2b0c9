/** The author of a change in the audit log: ids, never names or addresses of people. */
export type Author =
  | { kind: 'user' | 'api_key'; id: string; network: string | null }
  /** `id`: the operator's name from `--by`; null: the command has no such option. */
  | { kind: 'operator'; id: string | null }
  /** An anonymous visitor with a visitor key. */
  | { kind: 'visitor' }
  /** A change reported by the billing provider. */
  | { kind: 'stripe' }
  /** The service itself, e.g. a scheduled reconciliation. */
  | { kind: 'system' };

/** An author in one word, as in older logs (`tier_change`): `kind:id`, or only the kind. */
export function authorName(author: Author): string {
  return 'id' in author && author.id !== null ? `${author.kind}:${author.id}` : author.kind;
}

export const AUTHOR_KINDS = ['user', 'api_key', 'visitor', 'operator', 'stripe', 'system'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];
