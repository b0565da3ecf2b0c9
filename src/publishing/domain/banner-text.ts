/** The categories of spec §2.1 that a banner may offer. */
export const CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;
export type Category = (typeof CATEGORIES)[number];

interface CategoryText {
  key: Category;
  title: string;
  description: string;
}

/** The small words of our banner, in one language. What is not given is ours (default-texts.ts). */
export const LABELS = [
  'necessaryTitle',
  'necessaryDescription',
  'close',
  'policyLink',
  'settingsLink',
  'acknowledge',
  'signalHonoured',
  'services',
  'controller',
  'consentId',
  'copy',
  'download',
  'withdraw',
  'erase',
  'eraseQuestion',
  'failed',
] as const;
export type Labels = Record<(typeof LABELS)[number], string>;

/** The banner's words in one language. They are text, not HTML. */
export interface BannerText {
  /** BCP 47, e.g. `en` or `pt-BR`. */
  language: string;
  title: string;
  description: string;
  acceptAll: string;
  rejectAll: string;
  choose: string;
  save: string;
  categories: CategoryText[];
  labels: Partial<Labels>;
}
