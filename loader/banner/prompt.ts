/** One showing of the banner: its texts, what it asks, and for whom. */
import { ownGlobal } from '../own-global';
import { pristineDocument } from '../pristine-document';
import type { BannerText, Category, CategoryText, Consent, Reason, SiteConfiguration } from '../site';
import { pickText, readableServices } from './rules';

export interface Prompt {
  consent: Consent;
  configuration: SiteConfiguration;
  text: BannerText;
  reason: Reason;
  /** The first layer asks nothing: it informs, with one button. */
  informs: boolean;
  /** A preview sends and stores nothing, and leaves the focus where it is. */
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
    informs: reason === 'signal' || consent.mode === 'notice' || configuration.categories.length === 0,
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
export function isGranted({ consent: { choice, mode }, reason }: Prompt, key: Category): boolean {
  return choice ? choice[key] : mode !== 'opt_in' && reason !== 'signal';
}
