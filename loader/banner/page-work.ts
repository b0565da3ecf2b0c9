/**
 * The banner's work on the page while it is hidden: the link, placeholders of blocked frames,
 * elements that are added later, and the effects of a withdrawal.
 */
import { pristineDocument } from '../pristine-document';
import {
  BANNER_HOST_ID,
  type Category,
  type Consent,
  type Granted,
  type PageWork,
  type TrustedScript,
} from '../site';
import { blockedFrames, blockFrames } from './blocked-frames';
import { recordDecision } from './decision';
import { preparePrompt, type Prompt } from './prompt';
import { release } from './release';
import { hasRunScript, offerReload } from './reload-offer';
import { seenBy } from './seen';
import { settingsLink } from './settings-link';
import { shareChoice } from './share-choice';
import { closeIfAnswered } from './show-banner';

/** Pages that change all the time are looked through so often at most. */
const RESCAN_PAUSE_MS = 100;

let work: PageWork | undefined;

/** Called by the loader once the configuration has arrived; a second call returns the same. */
export const start = (consent: Consent, trustedScript?: TrustedScript): PageWork =>
  (work ??= startWork(consent, trustedScript));

/** `trustedScript` is absent in older loaders, which run waiting scripts themselves. */
function startWork(consent: Consent, trustedScript?: TrustedScript): PageWork {
  const prompt = preparePrompt(consent, 'link') as Prompt;
  const { categories } = prompt.configuration;
  let granted: Category[] | undefined;
  let all: Granted;
  const link = settingsLink(prompt);
  const frames = blockedFrames(prompt, (category) =>
    recordDecision(prompt, { surface: 'placeholder', granted: [...(granted ?? []), category] }),
  );
  const update = (): void => {
    frames.update();
    // Never half behind the banner.
    link.update(granted !== undefined && !pristineDocument('getElementById')(BANNER_HOST_ID));
  };
  const rescan = (): void => {
    if (!trustedScript) consent.rescan();
    else if (all) release(all, trustedScript);
  };
  const refresh = (): void => {
    rescan();
    update();
  };
  observePage(refresh);
  pristineDocument('addEventListener')('DOMContentLoaded', refresh);
  return {
    rescan,
    apply(next) {
      const former = granted;
      all = next;
      rescan();
      granted = next && categories.filter((category) => next[category]);
      const withdrawn = (former ?? []).filter((category) => !granted?.includes(category));
      withdrawn.forEach(blockFrames);
      closeIfAnswered();
      shareChoice(consent);
      update();
      if (withdrawn.some(hasRunScript)) offerReload(prompt);
    },
    get seen() {
      return seenBy(prompt);
    },
  };
}

/** Calls `changed` soon after elements were added to the page or removed from it. */
function observePage(changed: () => void): void {
  let isPlanned = false;
  // `changed` triggers the observer itself; its second call finds nothing to do.
  const observer = new MutationObserver(() => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      changed();
    }, RESCAN_PAUSE_MS);
  });
  observer.observe(pristineDocument('documentElement'), { childList: true, subtree: true });
}
