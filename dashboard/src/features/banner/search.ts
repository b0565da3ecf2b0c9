export const PARTS = ['texts', 'offer', 'look', 'rules', 'blocking', 'signals'] as const;
export type BannerPart = (typeof PARTS)[number];

/** The search parameters of the banner's page. */
export interface BannerSearch {
  view?: 'history';
  part?: BannerPart;
  /** Which language is being written. */
  language?: string;
  /** The region rule that is open, by its place; `other`: all other regions. */
  rule?: number | 'other';
  /** The time whose publication is open. */
  at?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export function bannerSearch(search: Record<string, unknown>): BannerSearch {
  const part = PARTS.find((each) => each === search['part']);
  const language = text(search['language']);
  const at = text(search['at']);
  const rule = search['rule'];
  const isRule = rule === 'other' || (Number.isInteger(rule) && Number(rule) >= 0);
  return {
    ...(search['view'] === 'history' && { view: 'history' as const }),
    ...(part && { part }),
    ...(language !== undefined && { language }),
    ...(isRule && { rule: rule as number | 'other' }),
    ...(at !== undefined && !Number.isNaN(Date.parse(at)) && { at: new Date(at).toISOString() }),
  };
}
