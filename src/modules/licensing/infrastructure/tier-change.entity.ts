import { defineEntity, p } from '@mikro-orm/core';

/** The audit of effective tiers. Append-only. */
export const TierChangeSchema = defineEntity({
  name: 'TierChange',
  tableName: 'tier_change',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    fromTier: p.text(),
    toTier: p.text(),
    /** What made us look: simulate, sweep, billing, … */
    reason: p.text(),
    /** Why the tier is now what it is (`TIER_REASONS`). */
    tierReason: p.text(),
    /** The subscription that was written, or else the one that grants the new tier; null where none does. */
    subscriptionId: p.uuid().nullable(),
    /** The provider's event; null where no event was the cause. */
    eventId: p.text().nullable(),
    /** Who did it, as kind:id; null: the service itself. */
    actor: p.text().nullable(),
    at: p.datetime(),
  },
});
