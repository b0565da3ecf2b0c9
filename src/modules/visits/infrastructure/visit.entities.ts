import { defineEntity, p } from '@mikro-orm/core';
import { DIMENSIONS } from '../domain/visit.js';

/** Page visits of one hour, counted in one dimension (domain/visit-tally.ts). */
export const SiteVisitSchema = defineEntity({
  name: 'SiteVisit',
  tableName: 'site_visit',
  properties: {
    projectId: p.uuid().primary(),
    dimension: p.enum(DIMENSIONS).primary(),
    /** Start of the hour, in UTC. */
    at: p.datetime().primary(),
    /** `*`: unknown, or one of too many. */
    name: p.text().primary(),
    visits: p.bigint('number'),
    chosen: p.bigint('number'),
    ignored: p.bigint('number'),
    lastSeenAt: p.datetime(),
  },
});
