import type { EventAttemptResponse, EventResponse } from '../../client/types.gen';

export type EventType = EventResponse['type'];
type Outcome = EventAttemptResponse['outcome'];

export const OUTCOMES = ['delivered', 'failed', 'skipped'] as const satisfies Outcome[];

/** The search parameters of the event log. */
export interface EventFilters {
  type?: EventType | undefined;
  /** First and last day, as `2026-11-21`. */
  from?: string | undefined;
  to?: string | undefined;
  /** The event that is open in the drawer. */
  open?: string | undefined;
}

/** The search parameters of one endpoint: the filter of its deliveries, and the event that is open. */
export interface EndpointSearch {
  outcome?: Outcome | undefined;
  open?: string | undefined;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const TYPE = /^[a-z_]+\.[a-z_]+$/;

/** Parses the filters of an address; ignores invalid ones. The API knows which types exist. */
export function eventFilters(search: Record<string, unknown>): EventFilters {
  const filters: EventFilters = {};
  for (const name of ['from', 'to'] as const) {
    const value = search[name];
    if (typeof value === 'string' && DAY.test(value)) filters[name] = value;
  }
  const { type, open } = search;
  if (typeof type === 'string' && TYPE.test(type)) filters.type = type as EventType;
  if (typeof open === 'string') filters.open = open;
  return filters;
}

/** Filters that are set; a period counts once. */
export function countFilters({ type, from, to }: EventFilters): number {
  return [type, from ?? to].filter((value) => value !== undefined).length;
}

export function endpointSearch(search: Record<string, unknown>): EndpointSearch {
  const parsed: EndpointSearch = {};
  const outcome = OUTCOMES.find((each) => each === search['outcome']);
  if (outcome) parsed.outcome = outcome;
  if (typeof search['open'] === 'string') parsed.open = search['open'];
  return parsed;
}
