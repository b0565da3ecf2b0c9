import { defineEntity, p } from '@mikro-orm/core';
import type { KeyScope } from './key-scope.js';
import { ROLES } from './role.js';

/** A secret that acts for one project with one role. Only its hash is kept. */
const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    role: p.enum(ROLES),
    scopes: p.array().columnType('text[]').$type<KeyScope[]>(),
    /** null: the service itself made it, or it is older than this column. */
    createdBy: p.uuid().nullable(),
    keyHash: p.blob(),
    /** The first characters of the key, to recognise it in a list. */
    prefix: p.text(),
    createdAt: p.datetime(),
    /** null: still good. */
    revokedAt: p.datetime().nullable(),
  },
});

export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);

export { ApiKeySchema };
