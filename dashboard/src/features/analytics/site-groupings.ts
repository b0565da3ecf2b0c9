/** By what visits are grouped, as the API names the lists. */
export const SITE_GROUPINGS = ['byHostname', 'byRegion', 'byLanguage', 'byDevice'] as const;
export type SiteGrouping = (typeof SITE_GROUPINGS)[number];
