/** Applies a choice to the page: Google's tags, our banner's work and the signals. */
import { type Choice, updateGoogle } from './google-consent';
import type { Category, PageWork } from './site';

let granted: Choice | undefined;
let pageWork: PageWork | undefined;

/** From now on, `choice` is granted. */
export const applyChoice = (choice: Choice): void => {
  updateGoogle((granted = choice));
  pageWork?.apply(granted);
};

/**
 * Whether a category or service is granted now. Our banner completes the services of a choice that has none
 * (services/); until then they are refused.
 */
export const isAllowed = (name: string): boolean =>
  !!(granted?.services?.[name] ?? granted?.[name as Category]);

/** `work` gets the grants, now and at each choice. */
export const setPageWork = (work?: PageWork): void => (pageWork = work)?.apply(granted);

/** Runs granted elements that were added to the page since. */
export const rescan = (): void => pageWork?.rescan?.();
