import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from '../domain/role.js';

/** A role in a project for an address, until somebody who has proven it takes it up. */
const ProjectInvitationSchema = defineEntity({
  name: 'ProjectInvitation',
  tableName: 'project_invitation',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** In lower case. */
    email: p.text(),
    role: p.enum(ROLES),
    /** SHA-256 of the token of the newest mail: those before it open nothing. */
    tokenHash: p.blob(),
    /** null: an API key of which nobody knows who made it, or a person whose account is gone. */
    invitedBy: p.uuid().nullable(),
    /** Whether the owner who sent it becomes an editor when it is accepted. */
    transfersOwnership: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
    sentAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
  },
});

export class ProjectInvitation extends ProjectInvitationSchema.class {}
ProjectInvitationSchema.setClass(ProjectInvitation);

export { ProjectInvitationSchema };
