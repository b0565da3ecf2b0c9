import type { SiteConfiguration } from './site';

/** What holds without a choice in a region of these names: the first rule with one of them decides, then the default. */
export const modeOf = (configuration: SiteConfiguration | null, names: unknown[]): string =>
  configuration?.regionRules.find(({ regions }) => regions.some((name) => names.includes(name)))?.mode ??
  configuration?.defaultMode ??
  'opt_in';
