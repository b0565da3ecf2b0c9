/**
 * The banner's work on the page while it is hidden: the link, placeholders of blocked frames,
 * elements that are added later, and the effects of a withdrawal.
 */
import { pristineDocument } from '../pristine-document';
import {
  BANNER_HOST_ID,
  type Category,
  type Choice,
  type Consent,
  type Granted,
  type PageWork,
  type ServicePart,
  type SiteConfiguration,
  type TrustedScript,
} from '../site';
import { type BlockedFrames, blockedFrames, blockFrames, hasBlockedFrame } from './blocked-frames';
import { type Decision, recordDecision } from './decision';
import { pickLanguage } from './language-files';
import { preparePrompt, type Prompt, withSecondLayer } from './prompt';
import { release } from './release';
import { hasRunScript, offerReload } from './reload-offer';
import { seenIn } from './seen';
import { withServicePart } from './service-part';
import { openOnClick, type SettingsLink, settingsLink } from './settings-link';
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
  const configuration = consent.configuration as SiteConfiguration;
  const { categories } = configuration;
  /** Names of categories and, where visitors choose them, ids of services. */
  let granted: string[] | undefined;
  let all: Granted;
  let part: ServicePart | undefined;
  // These wait for their texts, which may be in a file.
  let prompt: Prompt | undefined;
  let link: SettingsLink | undefined;
  let frames: BlockedFrames | undefined;
  const update = (): void => {
    // Never half behind the banner.
    link?.update(granted !== undefined && !pristineDocument('getElementById')(BANNER_HOST_ID));
    if (frames) frames.update();
    else if (prompt && hasBlockedFrame()) withSecondLayer(prompt, startFrames);
  };
  const startFrames = (detailed: Prompt): void => {
    frames ??= blockedFrames(detailed, (name) => {
      const decision: Decision = {
        surface: 'placeholder',
        granted: [...(granted ?? []), name] as Category[],
      };
      if (BY_SERVICE) Object.assign(decision, detailed.part?.allow(configuration, all, name));
      recordDecision(detailed, decision);
    });
    frames.update();
  };
  openOnClick(consent);
  preparePrompt(consent, 'link', (ready) => {
    prompt = ready;
    link = settingsLink(ready);
    update();
  });
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
  const apply = (next: Granted): void => {
    const former = granted;
    all = next;
    if (BY_SERVICE && next) part?.complete(configuration, next);
    rescan();
    granted = next && categories.filter((category) => next[category]);
    if (BY_SERVICE && next) granted?.push(...grantedIds(configuration, next));
    const withdrawn = (former ?? []).filter((name) => !granted?.includes(name));
    withdrawn.forEach(blockFrames);
    closeIfAnswered();
    shareChoice(consent);
    update();
    if (withdrawn.some(hasRunScript))
      preparePrompt(consent, 'link', (ready) => withSecondLayer(ready, offerReload));
  };
  const started: PageWork = {
    rescan,
    apply,
    get seen() {
      return seenIn(prompt?.text.language ?? pickLanguage(configuration), configuration);
    },
  };
  if (BY_SERVICE)
    started.completed = new Promise<void>((resolve) =>
      withServicePart(
        configuration,
        (loaded) => {
          part = loaded;
          apply(all);
          resolve();
        },
        trustedScript,
      ),
    );
  return started;
}

/** Ids of the granted services. */
const grantedIds = ({ services }: SiteConfiguration, choice: Choice): string[] =>
  services.flatMap(({ id }) => (id && choice.services?.[id] ? id : []));

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
