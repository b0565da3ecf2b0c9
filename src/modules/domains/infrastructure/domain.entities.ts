import { defineEntity, p } from '@mikro-orm/core';
import type { DomainMethod, DomainProblem, DomainState } from '../domain/custom-domain.js';

/** A hostname of a customer on which the banner is served. */
export const CustomDomainSchema = defineEntity({
  name: 'CustomDomain',
  tableName: 'custom_domain',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    hostname: p.text(),
    token: p.text(),
    state: p.text().$type<DomainState>(),
    stateSince: p.datetime(),
    createdAt: p.datetime(),
    checkedAt: p.datetime().nullable(),
    goodAt: p.datetime().nullable(),
    nextCheckAt: p.datetime(),
    method: p.text().$type<DomainMethod>().nullable(),
    problem: p.text().$type<DomainProblem>().nullable(),
    found: p.text().nullable(),
    caaKnown: p.boolean().default(false),
    caaIssuers: p.array().columnType('text[]').nullable(),
    warnedAt: p.datetime().nullable(),
    certificateAskedAt: p.datetime().nullable(),
    seenAt: p.datetime().nullable(),
  },
});

export class CustomDomainEntity extends CustomDomainSchema.class {}
CustomDomainSchema.setClass(CustomDomainEntity);

/** Manual additions and checks of domains per project and day. */
export const CustomDomainAttemptsSchema = defineEntity({
  name: 'CustomDomainAttempts',
  tableName: 'custom_domain_attempts',
  properties: { projectId: p.uuid().primary(), day: p.date(), attempts: p.integer() },
});

/** A project's path proxy: its secrets and sightings. */
export const FirstPartyProxySchema = defineEntity({
  name: 'FirstPartyProxy',
  tableName: 'first_party_proxy',
  properties: {
    projectId: p.uuid().primary(),
    secretHash: p.blob().nullable(),
    secretCreatedAt: p.datetime().nullable(),
    formerSecretHash: p.blob().nullable(),
    formerValidUntil: p.datetime().nullable(),
    /** Last request with a valid secret, with its host and path prefix. */
    provenAt: p.datetime().nullable(),
    host: p.text().nullable(),
    prefix: p.text().nullable(),
    /** Last request without a valid secret. */
    unprovenAt: p.datetime().nullable(),
  },
});

export class FirstPartyProxy extends FirstPartyProxySchema.class {}
FirstPartyProxySchema.setClass(FirstPartyProxy);
