/** What happens with a visitor's decision: it is submitted, the page is notified, withdrawn cookies are cleared. */
import { pristineDocument } from '../pristine-document';
import type { Category, SiteConfiguration, Submission } from '../site';
import { bannerAddress } from './address';
import { afterPaint } from './after-paint';
import { clearCookies } from './clear-cookies';
import { countVisit } from './count-visit';
import type { Prompt } from './prompt';
import { seenIn } from './seen';
import { hashForChoice } from './visitor-key';

const CATEGORIES: Category[] = ['analytics', 'marketing', 'preferences'];

/** One prompt per page: a decision that is changed later is not another visit. */
let countDecision: (() => void) | undefined;

/** Called when the page opens a prompt; the visit is counted with the prompt's outcome. */
export function startVisit(configuration: SiteConfiguration): void {
  countDecision ??= countVisit(configuration, bannerAddress);
}

/** Where the visitor decided, with the facts that the flags don't contain. */
export interface Decision {
  surface: 'banner' | 'preferences' | 'link' | 'placeholder';
  action?: string;
  granted: Category[];
  /** Where the visitor chose by service. */
  services?: Record<string, boolean> | undefined;
}

/**
 * Submits a decision after the browser has painted the page without the banner, because the scripts that a choice
 * releases may take long. The key is hashed before, so that the choice can be sent when the visitor leaves.
 */
export function recordDecision(prompt: Prompt, { granted, ...decision }: Decision): void {
  const { consent, configuration, text, isPreview } = prompt;
  const { projectId, categories, services } = configuration;
  const submission: Submission = {
    offered: categories,
    ...seenIn(text.language, configuration),
    ...decision,
  };
  for (const key of CATEGORIES) submission[key] = granted.includes(key);
  // By its flags it would be a rejection.
  if (BY_SERVICE && granted.length === 0 && Object.values(decision.services ?? {}).includes(true))
    submission.action = 'custom';
  const hashing = isPreview ? undefined : hashForChoice(projectId);
  const submitted = Promise.all([hashing, afterPaint()]).then(([visitorKeyHash]) => {
    clearCookies(
      services,
      ({ category, id = '' }) =>
        (BY_SERVICE ? decision.services?.[id] : undefined) ?? granted.includes(category as Category),
    );
    return consent.submit({ ...submission, visitorKeyHash });
  });
  // The response first: counting never delays a consent.
  void notifyPage(submitted).then(countDecision);
}

/** Dispatches the result of a decision to the page. */
async function notifyPage(submitted: Promise<object>): Promise<void> {
  const startedMs = performance.now();
  const detail = { ...(await submitted), tookMs: Math.round(performance.now() - startedMs) };
  pristineDocument('dispatchEvent')(new CustomEvent(`${CONSENT_GLOBAL}:choice`, { detail, bubbles: true }));
}
