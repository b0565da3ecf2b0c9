import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from '../domain/role.js';

/** The membership of a user in a project. */
const ProjectMemberSchema = defineEntity({
  name: 'ProjectMember',
  tableName: 'project_member',
  properties: {
    projectId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.enum(ROLES),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class ProjectMember extends ProjectMemberSchema.class {}
ProjectMemberSchema.setClass(ProjectMember);

export { ProjectMemberSchema };
