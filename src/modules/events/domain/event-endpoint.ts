import type { EventTypeName } from './catalogue.js';

export const ENDPOINTS_PER_PROJECT_MAX = 10;
export const ENDPOINT_DESCRIPTION_CHARACTERS_MAX = 200;
/** Waiting events are counted up to this. */
export const WAITING_COUNTED_MAX = 1_000;
/** A longer attempt is slow: while one of the last attempts was, an endpoint shares the slots of failing ones. */
export const SLOW_ATTEMPT_MS = 2_000;
export const RECENT_ATTEMPTS = 20;
/** For this long the former secret also signs, so that a receiver has time to switch. */
export const FORMER_SECRET_HOURS = 24;

export const ENDPOINT_STATES = ['active', 'held', 'disabled'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** Why an endpoint is disabled: by a member, or because nothing succeeded for five days. */
export const DISABLED_REASONS = ['owner', 'no_success'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The part of an endpoint that members edit. */
export interface EndpointSettings {
  url: string;
  description: string;
  eventTypes: EventTypeName[];
  enabled: boolean;
  /** Whether failed attempts keep the beginning of the response body. */
  keepResponseBodies: boolean;
}

/** An endpoint in the API. */
export interface EndpointView extends EndpointSettings {
  id: string;
  state: EndpointState;
  /** null unless held, as are the two below. */
  heldSince: Date | null;
  /** The failure that started it, a sentence for the owner. */
  heldReason: string | null;
  /** When the oldest waiting event is sent next. */
  nextProbeAt: Date | null;
  disabledReason: DisabledReason | null;
  /** First failed attempt since the last success; null: the last attempt succeeded, or there was none. */
  failingSince: Date | null;
  lastDeliveredAt: Date | null;
  /** Waiting events, without the ones in delivery, counted up to `WAITING_COUNTED_MAX`. */
  waiting: number;
  /** Until when the former secret also signs; null: there is none. */
  formerSecretValidUntil: Date | null;
  createdAt: Date;
}

/** Where a delivery of an event to an endpoint is. */
export const EVENT_DELIVERY_STATES = ['pending', 'delivered', 'failed', 'skipped'] as const;
export type EventDeliveryState = (typeof EVENT_DELIVERY_STATES)[number];

/** The outcome of a line of the delivery log. Without an attempt: the event expired, or was skipped. */
export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'skipped'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Why an attempt failed, beside the categories of requests: it did not get delivered in time. */
export const EXPIRED = 'expired';
