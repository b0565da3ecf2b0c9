import { defineEntity, p } from '@mikro-orm/core';

/** A customer's website or group of websites; owns everything else by `project_id`. */
const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'project',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** Host names that may send consents; empty: any origin may. */
    domains: p.array().columnType('text[]').default([]),
    /** Who decides about the project's records (GDPR Art. 4(7)); null: not given. */
    controllerName: p.text().nullable(),
    controllerContact: p.text().nullable(),
    /** Cached effective tier without hostname; believed until `tierValidUntil` (null: until a write). */
    tier: p.text().default('lite'),
    tierReason: p.text().default('no_subscription'),
    tierValidUntil: p.datetime().nullable(),
    tierVersion: p.bigint('number').defaultRaw('0'),
    /** The last delivery that failed (spec §2.2); null where none ever did. */
    lastFailureReason: p.text().nullable(),
    lastFailureCategory: p.text().nullable(),
    lastFailureHttpStatus: p.integer().nullable(),
    lastFailureAt: p.datetime().nullable(),
    /** The additional field of its records that names a visitor; null: none does. */
    visitorReferenceField: p.text().nullable(),
    /** Whether its value is kept and forwarded as a hash alone. */
    visitorReferenceHashed: p.boolean().default(false),
    /** 32 random bytes, made when a field is named first; null: none ever was. */
    visitorSalt: p.blob().$type<Buffer>().nullable(),
    /** Made by the demo; production refuses to start with such a project. */
    demo: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class ProjectEntity extends ProjectSchema.class {}
ProjectSchema.setClass(ProjectEntity);

export { ProjectSchema };
