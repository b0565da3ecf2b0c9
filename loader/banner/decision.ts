/** What happens with a visitor's decision: it is submitted, the page is notified, withdrawn cookies are cleared. */
import { pristineDocument } from '../pristine-document';
import type { Category, SiteConfiguration, Submission } from '../site';
import { clearCookies } from './clear-cookies';
import { countVisit } from './count-visit';
import type { Prompt } from './prompt';
import { hashForChoice } from './visitor-key';

const CATEGORIES: Category[] = ['analytics', 'marketing', 'preferences'];

/** The banner's own address, to which other addresses are relative. */
export const bannerAddress = (pristineDocument('currentScript') as HTMLScriptElement).src;

/** The page asks once; a decision that is changed later is not another visit. */
let countDecision: (() => void) | undefined;

/** Called when a page asks; the visit is counted with what became of the prompt. */
export function startVisit(configuration: SiteConfiguration): void {
  countDecision ??= countVisit(configuration, bannerAddress);
}

/** Where the visitor decided, and what the flags alone do not say. */
export interface Decision {
  surface: 'banner' | 'preferences' | 'link';
  action?: string;
  granted: Category[];
}

export function recordDecision(prompt: Prompt, { granted, ...decision }: Decision): void {
  const { consent, configuration, text, isPreview } = prompt;
  const { projectId, categories, services } = configuration;
  const submission: Submission = { offered: categories, language: text.language, ...decision };
  for (const key of CATEGORIES) submission[key] = granted.includes(key);
  const submitted = isPreview
    ? consent.submit(submission)
    : hashForChoice(projectId).then((visitorKeyHash) => consent.submit({ ...submission, visitorKeyHash }));
  // The response first: counting never delays a consent.
  void notifyPage(submitted).then(countDecision);
  clearCookies(services, (category) => granted.includes(category as Category));
}

/** Dispatches the result of a decision to the page. */
async function notifyPage(submitted: Promise<object>): Promise<void> {
  const startedMs = performance.now();
  const detail = { ...(await submitted), tookMs: Math.round(performance.now() - startedMs) };
  pristineDocument('dispatchEvent')(new CustomEvent(`${CONSENT_GLOBAL}:choice`, { detail, bubbles: true }));
}
