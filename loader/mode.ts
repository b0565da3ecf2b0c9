import type { SiteConfiguration } from './site';

/** The mode of a region with these names: the first rule that has one of them decides, then the default. */
export const resolveMode = (configuration: SiteConfiguration | null, names: unknown[]): string =>
  configuration?.regionRules.find(({ regions }) => regions.some((name) => names.includes(name)))?.mode ??
  configuration?.defaultMode ??
  'opt_in';
