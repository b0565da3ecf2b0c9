/** What a choice does to the page: Google's tags, and what our banner and the signals do. */
import { type Choice, updateGoogle } from './google-consent';
import type { PageWork } from './site';

let granted: Choice | undefined;
let pageWork: PageWork | undefined;

/** From now on, `choice` is granted. */
export const applyChoice = (choice: Choice): void => {
  updateGoogle((granted = choice));
  pageWork?.apply(granted);
};

/** `work` gets what is granted, now and at each choice. */
export const setPageWork = (work?: PageWork): void => (pageWork = work)?.apply(granted);

/** Runs what was added to the page since and is granted. */
export const rescan = (): void => pageWork?.rescan?.();
