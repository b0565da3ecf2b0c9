import { defineEntity, p } from '@mikro-orm/core';

/** A hostname of a customer on which the banner is served. */
export const CustomDomainSchema = defineEntity({
  name: 'CustomDomain',
  tableName: 'custom_domain',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    hostname: p.text(),
    token: p.text(),
    state: p.text(),
    stateSince: p.datetime(),
    createdAt: p.datetime(),
    checkedAt: p.datetime().nullable(),
    goodAt: p.datetime().nullable(),
    nextCheckAt: p.datetime(),
    method: p.text().nullable(),
    problem: p.text().nullable(),
    found: p.text().nullable(),
    caaIssuers: p.array().columnType('text[]').nullable(),
    warnedAt: p.datetime().nullable(),
    certificateAskedAt: p.datetime().nullable(),
    seenAt: p.datetime().nullable(),
  },
});

/** How often a project added or checked domains by hand on a day. */
export const CustomDomainAttemptsSchema = defineEntity({
  name: 'CustomDomainAttempts',
  tableName: 'custom_domain_attempts',
  properties: { projectId: p.uuid().primary(), day: p.date(), attempts: p.integer() },
});
