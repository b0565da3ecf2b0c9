import { ownGlobal } from '../own-global';
import { pristineDocument } from '../pristine-document';
import type { State, Step, Target } from './target';

type Callable = (...args: unknown[]) => unknown;

/** Sends a state; null: only the waiting steps. Returns whether all steps are done. */
export type Sender = (state: State | null, isDecided?: boolean) => boolean;

/** Sends a target its steps in order. A step that has to wait stays; only the newest state is sent afterwards. */
export const senderFor = (target: Target, initial: State): Sender => {
  if (target.queue) createQueue(target.queue);
  const first = target.first?.(initial) ?? [];
  let latest: Step[] = [];
  return (state, isDecided) => {
    if (state) latest = (isDecided ? target.decided(state) : target.undecided?.(state)) ?? [];
    return runAll(first) && runAll(latest);
  };
};

const runAll = (steps: Step[]): boolean => {
  for (let step = steps[0]; step; step = steps[0]) {
    if (!run(step)) return false;
    steps.shift();
  }
  return true;
};

/**
 * Returns false if the step must wait. Errors of a target are ignored: the next step still runs.
 */
const run = (step: Step): boolean => {
  try {
    if ('set' in step) (window as unknown as Record<string, unknown>)[step.set] = step.to;
    else if ('event' in step) pristineDocument('dispatchEvent')(new CustomEvent(step.event));
    else {
      const names = step.call.split('.');
      const method = names.pop() as string;
      const owner = names.reduce<unknown>(
        (from, name) =>
          from === window ? ownGlobal(name) : (from as Record<string, unknown> | null)?.[name],
        window,
      ) as Record<string, unknown> | null;
      const found = owner === (window as unknown) ? ownGlobal(method) : owner?.[method];
      if (typeof found !== 'function') return step.isOptional ?? false;
      (found as Callable).apply(owner, step.args);
    }
  } catch {
    // It must stop neither the page nor other targets.
  }
  return true;
};

const createQueue = ({ name, as }: NonNullable<Target['queue']>): void => {
  if (ownGlobal(name)) return;
  const waiting: unknown[] = [];
  // The vendors' scripts take the arguments object from `q`.
  const queue = Object.assign(
    function (): void {
      // oxlint-disable-next-line prefer-rest-params -- see above
      waiting.push(arguments);
    },
    { q: waiting },
  );
  (window as unknown as Record<string, unknown>)[name] = as === 'array' ? waiting : queue;
};
