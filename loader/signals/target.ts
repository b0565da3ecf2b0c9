/** Something that a target does on the page, in order. */
export type Step =
  /** Calls a function by its path from the window, such as `uetq.push`; waits until it exists unless it is optional. */
  | { call: string; args: unknown[]; isOptional?: true }
  /** Sets a global. */
  | { set: string; to: unknown }
  /** Dispatches an event on the document. */
  | { event: string };

/** What holds on the page. */
export interface State {
  /** All false before a decision. */
  granted: Record<'analytics' | 'marketing' | 'preferences', boolean>;
  /** False where a mode or an expired choice grants or denies. */
  isChosen: boolean;
  mode: string;
  /** Name of the event for tag managers. */
  eventName: string;
}

/** A system that gets the visitor's choice. */
export interface Target {
  /** Where calls wait until the system's own script has loaded, created as its vendor documents it. */
  queue?: { name: string; as: 'array' | 'function' };
  /** Once, ahead of the others. */
  first?(state: State): Step[];
  /** Where consent is required and the visitor has not decided. */
  undecided?(state: State): Step[];
  /** What is granted from now on. */
  decided(state: State): Step[];
}

export const stateOf = (isGranted: boolean | undefined): 'granted' | 'denied' =>
  isGranted ? 'granted' : 'denied';

/**
 * For systems that store the choice themselves: an opt-out region without a choice needs no entry, since they know the
 * region's rule, and the entry would outlive it.
 */
export const isWorthStoring = ({ granted, isChosen }: State): boolean =>
  isChosen || !Object.values(granted).every(Boolean);
