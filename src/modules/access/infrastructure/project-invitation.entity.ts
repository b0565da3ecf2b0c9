import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from '../domain/role.js';

/** A role in a project for an address, until a user with that confirmed address accepts it. */
const ProjectInvitationSchema = defineEntity({
  name: 'ProjectInvitation',
  tableName: 'project_invitation',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** In lower case. */
    email: p.text(),
    role: p.enum(ROLES),
    /** SHA-256 of the token of the newest mail; earlier links are invalid. */
    tokenHash: p.blob(),
    /** null: an API key with an unknown creator, or a user whose account is deleted. */
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
