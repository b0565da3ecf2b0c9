import { defineEntity, p } from '@mikro-orm/core';
import type { KeyArea, KeyScope } from '../domain/api-key.js';
import { ROLES } from '../domain/role.js';

/** A secret with one role on one project. Only its hash is stored. */
const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    role: p.enum(ROLES),
    scopes: p.array().columnType('text[]').$type<KeyScope[]>().default([]),
    /** null: the service itself created it. */
    createdBy: p.uuid().nullable(),
    keyHash: p.blob(),
    /** The first characters of the key, to recognize it in a list. */
    prefix: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    /** null: not revoked. */
    revokedAt: p.datetime().nullable(),
    /** UTC, as `2026-11-21`; null: never, or before this column existed. */
    lastUsedOn: p.date().nullable(),
    /** null: it does not expire. */
    expiresAt: p.datetime().nullable(),
    /** Areas below its role; null: all permissions of the role. */
    limitedTo: p.array().columnType('text[]').$type<KeyArea[]>().nullable(),
    /** Hash of the previous secret, valid until `formerValidUntil`; null: there is none. */
    formerKeyHash: p.blob().nullable(),
    formerValidUntil: p.datetime().nullable(),
    /** The member who created the former secret; null: there is none, or the creator is unknown. */
    formerCreatedBy: p.uuid().nullable(),
  },
});

export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);

export { ApiKeySchema };
