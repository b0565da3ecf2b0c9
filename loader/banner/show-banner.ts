/**
 * Shows our banner: the first layer if a choice is needed or a signal was honored, the second for
 * `link`. It sends nothing itself: the visitor's decision is passed to `consent.submit`, which a
 * preview replaces.
 */
import { pristineDocument } from '../pristine-document';
import type { Category, Consent, Reason } from '../site';
import { type Decision, recordDecision, startVisit } from './decision';
import { firstLayer } from './first-layer';
import { createHost, type Host } from './host';
import { isPreview, preparePrompt, type Prompt, withSecondLayer } from './prompt';
import { secondLayer } from './second-layer';

/** A banner on the screen. */
interface Presentation {
  openSecondLayer(): void;
  /**
   * Another tab may have stored a choice, or a later page before this one was restored from the
   * browser's cache.
   */
  closeIfAnswered(): void;
  close(): void;
}

let current: Presentation | undefined;

/** Closes a banner whose question was answered elsewhere. */
export const closeIfAnswered = (): void => current?.closeIfAnswered();

addEventListener('storage', closeIfAnswered);
addEventListener('pageshow', closeIfAnswered);

export function showBanner(consent: Consent, reason: Reason): void {
  const { configuration } = consent;
  if (!configuration) return;
  const isOnSite = !isPreview(consent);
  if (reason === 'banner' && isOnSite) startVisit(configuration);
  preparePrompt(consent, reason, (prompt) => {
    // Another tab may have the answer by now.
    if (reason === 'banner' && isOnSite && consent.choice) return;
    if (!pristineDocument('body')) {
      // A slow script in the head delays it.
      requestAnimationFrame(() => showBanner(consent, reason));
    } else if (reason === 'link' && isOnSite && current) {
      // A visitor who closes the second layer still sees the first.
      current.openSecondLayer();
    } else {
      current?.close();
      current = present(prompt, createHost(prompt));
    }
  });
}

function present(prompt: Prompt, host: Host): Presentation {
  const { consent, configuration, reason } = prompt;
  let isOpen = true;
  let second: HTMLDialogElement | undefined;
  const close = (): void => {
    isOpen = false;
    current = undefined;
    // Returns the focus to its previous element.
    second?.close();
    host.remove();
  };
  const decide = (decision: Decision): void => {
    close();
    recordDecision(prompt, decision);
  };
  const decideFirst = (granted: Category[], action?: string): void =>
    decide({ surface: 'banner', granted, ...(action && { action }) });
  const decideSecond = (granted: Category[], services?: Record<string, boolean>): void => {
    const decision: Decision = { surface: reason === 'link' ? 'link' : 'preferences', granted };
    if (BY_SERVICE) decision.services = services;
    decide(decision);
  };
  const openSecondLayer = (): void =>
    withSecondLayer(prompt, (detailed) => {
      if (second || !isOpen) return;
      second = secondLayer(detailed, {
        save: decideSecond,
        reject: () => decideSecond([]),
        withdraw: () => decide({ surface: 'link', action: 'withdraw', granted: [] }),
        closed() {
          second = undefined;
          if (!isOpen) return;
          if (reason === 'link') close();
          // Back to the button that opened it.
          else host.show(first, first.querySelector<HTMLElement>('.quiet') ?? first);
        },
      });
      host.show(second);
    });
  const first = firstLayer(prompt, {
    accept: () => decideFirst(configuration.categories),
    reject: () => decideFirst([]),
    // A signal was recorded when it arrived; the visitor has only read about it.
    acknowledge: () => (reason === 'signal' ? close() : decideFirst(configuration.categories, 'dismiss')),
    customize: openSecondLayer,
  });
  if (reason === 'link') openSecondLayer();
  else host.show(first);
  return {
    openSecondLayer,
    closeIfAnswered() {
      if (reason === 'banner' && !prompt.isPreview && consent.choice) close();
    },
    close,
  };
}
