import { defineEntity, p } from '@mikro-orm/core';

/** The log of effective tiers. Append-only. */
export const TierChangeSchema = defineEntity({
  name: 'TierChange',
  tableName: 'tier_change',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    fromTier: p.text(),
    toTier: p.text(),
    /** The cause of the computation: simulate, sweep, billing, … */
    reason: p.text(),
    /** The reason of the new tier (`TIER_REASONS`). */
    tierReason: p.text(),
    /** The subscription that was written, or else the one that grants the new tier; null: none. */
    subscriptionId: p.uuid().nullable(),
    /** The provider's event; null: not caused by an event. */
    eventId: p.text().nullable(),
    /** The actor, as kind:id; null: the service itself. */
    actor: p.text().nullable(),
    at: p.datetime(),
  },
});
