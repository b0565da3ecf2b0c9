import type { State, Step } from '../../../loader/signals/target.js';
import { TARGETS } from '../../../loader/signals/targets.js';

const GRANTED = { analytics: true, marketing: true, preferences: true };
const DENIED = { analytics: false, marketing: false, preferences: false };
const modesOf = (mode: string): State['modes'] => ({ analytics: mode, marketing: mode, preferences: mode });
const STATE: State = {
  granted: DENIED,
  isChosen: true,
  eventName: 'consent_choice',
  mode: 'opt_in',
  modes: modesOf('opt_in'),
};

/** The situations of the tables in docs/signals.md. */
const SITUATIONS: [name: string, state: State | null][] = [
  ['before a choice, `opt_in`', null],
  ['everything accepted', { ...STATE, granted: GRANTED }],
  ['everything rejected or withdrawn, or GPC honored', STATE],
  ['only analytics accepted', { ...STATE, granted: { ...DENIED, analytics: true } }],
  [
    'no choice, other modes',
    { ...STATE, granted: GRANTED, isChosen: false, mode: 'opt_out', modes: modesOf('opt_out') },
  ],
  [
    'no choice, `opt_in` for marketing only',
    {
      ...STATE,
      granted: { ...GRANTED, marketing: false },
      isChosen: false,
      modes: { ...modesOf('opt_out'), marketing: 'opt_in' },
    },
  ],
];

/** The calls of a target on the page of a returning visitor, from its table in docs/signals.md. */
export function signalRows(name: string): { situation: string; sent: string[] }[] {
  const target = TARGETS[name];
  if (!target) throw new Error(`no target ${name}`);
  return SITUATIONS.map(([situation, state]) => ({
    situation,
    sent: [
      ...(target.first?.(state ?? STATE) ?? []),
      ...(state ? target.decided(state) : (target.undecided?.({ ...STATE, isChosen: false }) ?? [])),
    ].map(textOf),
  }));
}

function textOf(step: Step): string {
  if ('set' in step) return `${step.set} = ${shown(step.to)}`;
  if ('event' in step) return `event ${step.event}`;
  return `${step.call}(${step.args
    .filter((value) => typeof value !== 'function')
    .map(shown)
    .join(', ')})`;
}

const shown = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'");
