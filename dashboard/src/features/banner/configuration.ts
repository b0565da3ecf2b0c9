import type {
  BannerTextBody,
  BlockingRuleBody,
  ConfigurationContentResponse,
  ConfigurationResponse,
  DraftResponse,
  RegionRuleContentResponse,
  SiteServiceBody,
} from '../../client/types.gen';
import type { BannerPart } from './search';

export type Configuration = ConfigurationContentResponse;
export type Category = Configuration['categories'][number];
export type Mode = Configuration['defaultMode'];
export type {
  BannerTextBody as BannerText,
  BlockingRuleBody as BlockingRule,
  RegionRuleContentResponse as RegionRule,
  SiteServiceBody as SiteService,
};

export const CATEGORIES: Category[] = ['analytics', 'marketing', 'preferences'];
/** The strictest first. */
export const MODES: Mode[] = ['opt_in', 'opt_out', 'notice', 'none'];
export type Modes = Record<Category, Mode>;

/** One mode for all categories. */
export const allModes = (mode: Mode): Modes => ({ analytics: mode, marketing: mode, preferences: mode });

/** The strictest mode. */
export function strictestMode(modes: Modes): Mode {
  return MODES.find((mode) => Object.values(modes).includes(mode)) ?? 'opt_in';
}

/** The configuration without the response's other members. */
export function editableContent(answer: ConfigurationResponse): Configuration {
  const {
    version: _,
    updatedAt: _at,
    regionRulesAvailable: _rules,
    lastPublication: _last,
    publishFailedAt: _failed,
    ...content
  } = answer;
  return content;
}

/**
 * Initial content of the fields: the draft, else the published configuration; without one, our
 * banner is on.
 */
export function initialContent(configuration: ConfigurationResponse, draft: DraftResponse): Configuration {
  if (draft.configuration) return draft.configuration;
  const content = editableContent(configuration);
  return configuration.version > 0 ? content : { ...content, banner: { ...content.banner, enabled: true } };
}

/** Whether a person has published it: a plan change also publishes, with the default configuration. */
export function isPublished({ version, lastPublication }: ConfigurationResponse): boolean {
  return version > 0 && lastPublication !== null;
}

/** A list with one of its entries replaced. */
export function withEntry<T>(list: T[], index: number, entry: T): T[] {
  return list.map((each, at) => (at === index ? entry : each));
}

export function withoutEntry<T>(list: T[], index: number): T[] {
  return list.filter((_, at) => at !== index);
}

/** The part of the page that has the field of this path. */
export function partOfField(field: string): BannerPart {
  const [member, , part] = field.split('.');
  switch (member) {
    case 'texts':
      return part === 'categories' ? 'offer' : 'texts';
    case 'defaultLanguage':
    case 'policyUrl':
      return 'texts';
    case 'categories':
    case 'services':
      return 'offer';
    case 'banner':
      return 'look';
    case 'blocking':
    case 'signals':
      return member;
    default:
      return 'rules';
  }
}
