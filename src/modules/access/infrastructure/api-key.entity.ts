import { defineEntity, p } from '@mikro-orm/core';
import type { KeyArea } from '../domain/key-area.js';
import type { KeyScope } from '../domain/key-scope.js';
import { ROLES } from '../domain/role.js';

/** A secret that acts for one project with one role. Only its hash is kept. */
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
    /** The first characters of the key, to recognise it in a list. */
    prefix: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    /** null: still good. */
    revokedAt: p.datetime().nullable(),
    /** UTC, as `2026-11-21`; null: never, or not since this column came. */
    lastUsedOn: p.date().nullable(),
    /** null: it does not expire. */
    expiresAt: p.datetime().nullable(),
    /** Areas below its role; null: all that the role may. */
    limitedTo: p.array().columnType('text[]').$type<KeyArea[]>().nullable(),
    /** Of the key before this one, good until `formerValidUntil`; null where there is none. */
    formerKeyHash: p.blob().nullable(),
    formerValidUntil: p.datetime().nullable(),
    /** The member who created the former secret; null: there is none, or the creator is unknown. */
    formerCreatedBy: p.uuid().nullable(),
  },
});

export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);

export { ApiKeySchema };
