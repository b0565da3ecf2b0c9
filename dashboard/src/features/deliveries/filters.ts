import type { DeliveryResponse } from '../../client/types.gen';

export const OUTCOMES = ['delivered', 'failed', 'skipped'] as const;
type Outcome = (typeof OUTCOMES)[number];

export const CATEGORIES = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'blocked_address',
  'redirect',
  'http_4xx',
  'http_5xx',
  'http_other',
  'worker_lost',
  'configuration',
] as const satisfies DeliveryResponse['category'][];
export type Category = (typeof CATEGORIES)[number];

/** The search parameters of the list of deliveries. */
export interface DeliveryFilters {
  status?: Outcome;
  /** Why it failed. */
  category?: Category;
  /** First and last day, as `2026-11-21`. */
  from?: string;
  to?: string;
  /** The attempt that is open in the drawer. */
  open?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Parses the filters of an address; ignores invalid ones. */
export function deliveryFilters(search: Record<string, unknown>): DeliveryFilters {
  const filters: DeliveryFilters = {};
  for (const name of ['from', 'to'] as const) {
    const value = search[name];
    if (typeof value === 'string' && DAY.test(value)) filters[name] = value;
  }
  const status = OUTCOMES.find((outcome) => outcome === search['status']);
  if (status) filters.status = status;
  const category = CATEGORIES.find((each) => each === search['category']);
  if (category) filters.category = category;
  if (typeof search['open'] === 'string') filters.open = search['open'];
  return filters;
}

/** Filters that are set; a period counts once. */
export function countFilters({ status, category, from, to }: DeliveryFilters): number {
  return [status, category, from ?? to].filter((value) => value !== undefined).length;
}
