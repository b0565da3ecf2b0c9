/** One display of the banner: its texts, questions and mode. */
import { ownGlobal } from '../own-global';
import type {
  BannerText,
  Category,
  Consent,
  Reason,
  ServicePart,
  SiteConfiguration,
  SiteService,
} from '../site';
import { withDetails, withText } from './language-files';
import { pickText, readableServices } from './rules';
import { withServicePart } from './service-part';

export interface Prompt {
  consent: Consent;
  configuration: SiteConfiguration;
  text: BannerText;
  reason: Reason;
  /** The first layer only informs, with one button. */
  informs: boolean;
  /** A preview sends and stores nothing, and does not move the focus. */
  isPreview: boolean;
  /** On the second layer, where visitors choose by service. */
  part?: ServicePart | undefined;
}

/** Calls `use` with the prompt once its text is there; never before the configuration has arrived. */
export function preparePrompt(consent: Consent, reason: Reason, use: (prompt: Prompt) => void): void {
  if (!consent.configuration) return;
  const configuration = {
    ...consent.configuration,
    services: readableServices(consent.configuration.services),
  };
  withText(configuration, (text) =>
    use({
      consent,
      configuration,
      text,
      reason,
      informs:
        reason === 'signal' || !configuration.categories.some((key) => isOptional(modeOf(consent, key))),
      isPreview: isPreview(consent),
    }),
  );
}

/** Whether the page is a preview of the dashboard. */
export const isPreview = (consent: Consent): boolean => ownGlobal(CONSENT_GLOBAL) !== consent;

/** Calls `use` with the prompt and the texts and services of the second layer. */
export function withSecondLayer(prompt: Prompt, use: (prompt: Prompt) => void): void {
  const { configuration, text } = prompt;
  withDetails(prompt, ({ labels, categories, services }) => {
    const detailed: Prompt = {
      ...prompt,
      configuration: { ...configuration, services: readableServices(services ?? configuration.services) },
      text: {
        ...text,
        labels: { ...text.labels, ...labels },
        categories: categories ?? text.categories,
      },
    };
    if (BY_SERVICE) withServicePart(configuration, (part) => use({ ...detailed, part }));
    else use(detailed);
  });
}

/** A category's title and description; in the default language where this one lacks them. */
export function describeCategory(
  { configuration, text }: Prompt,
  key: Category,
): { title: string; description: string } {
  const fallback = pickText(configuration.texts, [configuration.defaultLanguage]);
  const { title = key, description = '' } =
    [...text.categories, ...(fallback?.categories ?? [])].find((category) => category.key === key) ?? {};
  return { title, description };
}

/** Whether a category's switch is on before the visitor touches it: what applies now. */
export function isGranted({ consent, reason }: Prompt, key: Category): boolean {
  const mode = modeOf(consent, key);
  return consent.choice?.[key] ?? (mode !== 'opt_in' && !(reason === 'signal' && mode === 'opt_out'));
}

/** What applies to a category without a choice; older loaders have one mode for all. */
export const modeOf = ({ mode, modes }: Consent, key: Category): string => modes?.[key] ?? mode;

/** The same for a service: as its category, unless the choice names it. In a preview nothing is completed. */
export const isServiceGranted = (prompt: Prompt, { id = '', category }: SiteService): boolean =>
  prompt.part?.current()?.[id] ??
  prompt.consent.choice?.services?.[id] ??
  isGranted(prompt, category as Category);

/** Whether the visitor can refuse or object. */
const isOptional = (mode: string): boolean => mode === 'opt_in' || mode === 'opt_out';
