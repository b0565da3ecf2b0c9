export const FLAGS = ['analytics', 'marketing', 'preferences'] as const;
export type Flag = (typeof FLAGS)[number];

export const DELIVERY_STATES = ['delivered', 'failed', 'skipped', 'pending', 'unsent'] as const;
type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The search parameters of the list of consents. */
export interface ConsentFilters {
  /** First and last day, as `2026-11-21`. */
  from?: string;
  to?: string;
  action?: string;
  hostname?: string;
  analytics?: boolean;
  marketing?: boolean;
  preferences?: boolean;
  /** Its delivery state. */
  delivery?: DeliveryState;
  /** The record that is open in the drawer. */
  open?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const TEXTS = ['action', 'hostname', 'open'] as const;

/** Parses the filters of an address; ignores invalid ones. */
export function consentFilters(search: Record<string, unknown>): ConsentFilters {
  const filters: ConsentFilters = {};
  for (const name of ['from', 'to'] as const) {
    const value = search[name];
    if (typeof value === 'string' && DAY.test(value)) filters[name] = value;
  }
  for (const name of TEXTS) {
    const value = search[name];
    if (typeof value === 'string' && value.trim() !== '') filters[name] = value.trim();
  }
  for (const name of FLAGS) {
    const value = search[name];
    if (typeof value === 'boolean') filters[name] = value;
  }
  const delivery = DELIVERY_STATES.find((state) => state === search['delivery']);
  if (delivery) filters.delivery = delivery;
  return filters;
}

/** Filters that are set: a period counts once, and so do the categories. */
export function countFilters({ from, to, action, hostname, delivery, ...rest }: ConsentFilters): number {
  const hasDays = (from ?? to) !== undefined;
  const hasFlags = FLAGS.some((flag) => rest[flag] !== undefined);
  return [hasDays, hasFlags, action, hostname, delivery].filter(Boolean).length;
}
