import { defineEntity, p } from '@mikro-orm/core';
import type { AuditAction, AuditedState, SecurityAction } from '../domain/audit-event.js';
import { AUTHOR_KINDS } from '../domain/author.js';

/**
 * A change of a project. Append-only: rows cannot be updated or deleted, and only whole months are dropped (Migration
 * 20261121005500). Partitioned by month on the id's time; no foreign key, because it outlives its project.
 */
export const AuditEventSchema = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  properties: {
    /** Or the id of an organization; the nil UUID: the service as a whole. */
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    actorKind: p.enum(AUTHOR_KINDS),
    /** A user's or key's id, or an operator's own name; null: unknown, or not a person. */
    actorId: p.text().nullable(),
    /** /24 or /48 of the actor's address; null: none. */
    network: p.text().nullable(),
    action: p.text().$type<AuditAction>(),
    /** null: the project as a whole. */
    target: p.text().nullable(),
    /** null: it did not exist before. */
    before: p.json().$type<AuditedState>().nullable(),
    /** null: it no longer exists. */
    after: p.json().$type<AuditedState>().nullable(),
    at: p.datetime().defaultRaw('now()'),
  },
});

/** A line in a user's own log. Partitioned by month on the id's time; deleted with the account. */
export const SecurityEventSchema = defineEntity({
  name: 'SecurityEvent',
  tableName: 'security_event',
  properties: {
    userId: p.uuid().primary(),
    id: p.uuid().primary(),
    action: p.text().$type<SecurityAction>(),
    /** /24 or /48 of the client's address; null: none. */
    network: p.text().nullable(),
    at: p.datetime().defaultRaw('now()'),
  },
});
