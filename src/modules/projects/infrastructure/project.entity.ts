import { defineEntity, p } from '@mikro-orm/core';

/** A customer's website or group of websites; other tables refer to it by `project_id`. */
const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'project',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** Host names that may send consents; empty: any origin. */
    domains: p.array().columnType('text[]').default([]),
    /** Name of the controller of the project's records (GDPR Art. 4(7)); null: not given. */
    controllerName: p.text().nullable(),
    controllerContact: p.text().nullable(),
    /** null: it belongs to no organization. */
    organizationId: p.uuid().nullable(),
    /** Cached effective tier without hostname; valid until `tierValidUntil` (null: until a write). */
    tier: p.text().default('lite'),
    tierReason: p.text().default('no_subscription'),
    tierValidUntil: p.datetime().nullable(),
    tierVersion: p.bigint('number').defaultRaw('0'),
    /** Created by the demo; production refuses to start with such a project. */
    demo: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class ProjectEntity extends ProjectSchema.class {}
ProjectSchema.setClass(ProjectEntity);

export { ProjectSchema };
