/** One display of the banner: its texts, questions and mode. */
import { ownGlobal } from '../own-global';
import { pristineDocument } from '../pristine-document';
import type { BannerText, Category, CategoryText, Consent, Reason, SiteConfiguration } from '../site';
import { pickText, readableServices } from './rules';

export interface Prompt {
  consent: Consent;
  configuration: SiteConfiguration;
  text: BannerText;
  reason: Reason;
  /** The first layer only informs, with one button. */
  informs: boolean;
  /** A preview sends and stores nothing, and does not move the focus. */
  isPreview: boolean;
}

/** null before the configuration has arrived. */
export function preparePrompt(consent: Consent, reason: Reason): Prompt | null {
  if (!consent.configuration) return null;
  const configuration = {
    ...consent.configuration,
    services: readableServices(consent.configuration.services),
  };
  const text = pickText(configuration.texts, [
    pristineDocument('documentElement').lang,
    ...navigator.languages,
    configuration.defaultLanguage,
  ]) as BannerText;
  return {
    consent,
    configuration,
    text,
    reason,
    informs: reason === 'signal' || !configuration.categories.some((key) => isOptional(modeOf(consent, key))),
    isPreview: ownGlobal(CONSENT_GLOBAL) !== consent,
  };
}

/** A category's title and description; in the default language where this one lacks them. */
export function describeCategory({ configuration, text }: Prompt, key: Category): CategoryText {
  const fallback = pickText(configuration.texts, [configuration.defaultLanguage]);
  return (
    [...text.categories, ...(fallback?.categories ?? [])].find((category) => category.key === key) ?? {
      key,
      title: key,
      description: '',
    }
  );
}

/** Whether a category's switch is on before the visitor touches it: what applies now. */
export function isGranted({ consent, reason }: Prompt, key: Category): boolean {
  const mode = modeOf(consent, key);
  return consent.choice?.[key] ?? (mode !== 'opt_in' && !(reason === 'signal' && mode === 'opt_out'));
}

/** What applies to a category without a choice; older loaders have one mode for all. */
export const modeOf = ({ mode, modes }: Consent, key: Category): string => modes?.[key] ?? mode;

/** Whether the visitor can refuse or object. */
const isOptional = (mode: string): boolean => mode === 'opt_in' || mode === 'opt_out';
