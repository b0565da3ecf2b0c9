import type { Classification } from './classify-item.js';

/** A cookie or entry with its exact name and domain, because the tool compares both exactly. */
export interface KnownItem {
  kind: 'cookie' | 'local_storage';
  name: string;
  /** Without a leading dot. */
  host: string;
  /** Host and path of the script or response; null: unknown. */
  initiator: string | null;
  classification: Classification;
}

/** A knowledge base of the EDPB website auditing tool, as its import reads it. */
interface KnowledgeBase {
  name: string;
  author: string;
  category: 'cookie' | 'localstorage';
  created_at: string;
  trustLevel: 'informative';
  used: boolean;
  knowledges: Record<string, string | number>[];
}

/**
 * A scan's items, as knowledge bases of the EDPB website auditing tool: one of cookies, one of
 * localStorage.
 */
export function knowledgeBasesOf(
  items: readonly KnownItem[],
  { title, author, at }: { title: string; author: string; at: Date },
): KnowledgeBase[] {
  const createdAt = at.toISOString();
  const base = (
    category: KnowledgeBase['category'],
    knowledges: KnowledgeBase['knowledges'],
  ): KnowledgeBase => ({
    name: `${title} (${category})`,
    author,
    category,
    created_at: createdAt,
    trustLevel: 'informative',
    used: true,
    knowledges,
  });
  const described = (item: KnownItem): Record<string, string> => {
    const { category, service, provider, purpose, policyUrl } = item.classification;
    return {
      category: category ?? '',
      source: service ?? '',
      controller: provider ?? '',
      date: createdAt,
      policy: policyUrl ?? '',
      reference: '',
      comment: purpose ?? '',
      created_at: createdAt,
      updated_at: createdAt,
    };
  };
  return [
    base(
      'cookie',
      items
        .filter(({ kind }) => kind === 'cookie')
        .map((item) => ({
          kind: 'cookie',
          domain: item.host,
          name: item.name,
          ...described(item),
          wildcard_match: 0,
        })),
    ),
    base(
      'localstorage',
      items
        .filter(({ kind }) => kind === 'local_storage')
        .map((item) => ({
          kind: 'localstorage',
          key: item.name,
          ...described(item),
          script: item.initiator === null ? '' : `https://${item.initiator}`,
        })),
    ),
  ];
}
