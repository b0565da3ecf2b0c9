/** Something that a target does on the page, in order. */
export type Step =
  /** Calls a function by its path from the window, such as `uetq.push`; waits until it exists unless it is optional. */
  | { call: string; args: unknown[]; isOptional?: true }
  /** Sets a global. */
  | { set: string; to: unknown }
  /** Dispatches an event on the document. */
  | { event: string };

/** The consent state of the page. */
export interface State {
  /** All false before a decision. */
  granted: Record<'analytics' | 'marketing' | 'preferences', boolean>;
  /** False where a mode or an expired choice grants or denies. */
  isChosen: boolean;
  mode: string;
  /** Of each category. */
  modes: Record<'analytics' | 'marketing' | 'preferences', string>;
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
  /** The steps for new grants. */
  decided(state: State): Step[];
}

export const stateOf = (isGranted: boolean | undefined): 'granted' | 'denied' =>
  isGranted ? 'granted' : 'denied';

/**
 * For systems that store the choice themselves: grants by the region's modes, without a choice, get
 * no entry, because it would outlive the modes. An expired refusal does, because it still applies.
 */
export const isWorthStoring = ({ granted, isChosen, modes }: State): boolean =>
  isChosen ||
  (['analytics', 'marketing', 'preferences'] as const).some(
    (category) => !granted[category] && modes[category] !== 'opt_in',
  );
