/** The categories of spec §2.1 that a banner may offer. */
export const CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;
export type Category = (typeof CATEGORIES)[number];

interface CategoryText {
  key: Category;
  title: string;
  description: string;
}

/** Labels of only one mode; the title, description and buttons of a text are those in opt-in. */
export const MODE_LABELS = {
  opt_out: ['optOutTitle', 'optOutDescription', 'optOutAccept', 'optOutReject'],
  notice: ['noticeTitle', 'noticeDescription'],
  signal: ['signalTitle', 'signalHonoured'],
  /** After the description of opt-in, where some categories are already on. */
  mixed: ['mixedNote'],
} as const;
/** Labels of the banner's additions to the page: placeholders of blocked frames, and the offer to reload. */
export const PAGE_LABELS = ['blockedFrame', 'allowCategory', 'reloadText', 'reload'] as const;

/** How many cookies a category has: `{count}` of one, and of several. */
export const COUNT_LABELS = ['cookieOne', 'cookieCount'] as const;

/** Of the search in a long list of services, where visitors choose by service. */
export const SEARCH_LABELS = ['searchServices'] as const;

/** The short labels of our banner, in one language. Missing ones are replaced by ours (`messages/site.*.json`). */
export const LABELS = [
  'necessaryTitle',
  'necessaryDescription',
  'close',
  'policyLink',
  'settingsLink',
  'acknowledge',
  ...MODE_LABELS.opt_out,
  ...MODE_LABELS.notice,
  ...MODE_LABELS.signal,
  ...MODE_LABELS.mixed,
  'services',
  'controller',
  'consentId',
  'copy',
  'download',
  'withdraw',
  'erase',
  'eraseQuestion',
  'failed',
  ...PAGE_LABELS,
  ...COUNT_LABELS,
  ...SEARCH_LABELS,
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
