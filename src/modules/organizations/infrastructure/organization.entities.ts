import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from '../../access/domain/role.js';
import { ORGANIZATION_ROLES } from '../domain/organization.js';

/** A company or agency with projects and people. */
export const OrganizationSchema = defineEntity({
  name: 'Organization',
  tableName: 'organization',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** The membership of a user in an organization. */
export const OrganizationMemberSchema = defineEntity({
  name: 'OrganizationMember',
  tableName: 'organization_member',
  properties: {
    organizationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.enum(ORGANIZATION_ROLES),
    /** Role on every project of the organization; null: none, or that of an admin. */
    projectRole: p.enum(ROLES).nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** Roles in an organization for an address, until a user with that confirmed address accepts them. */
export const OrganizationInvitationSchema = defineEntity({
  name: 'OrganizationInvitation',
  tableName: 'organization_invitation',
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** In lower case. */
    email: p.text(),
    role: p.enum(ORGANIZATION_ROLES),
    projectRole: p.enum(ROLES).nullable(),
    /** SHA-256 of the token of the newest mail; earlier links are invalid. */
    tokenHash: p.blob(),
    /** null: a user whose account is deleted. */
    invitedBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    sentAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
  },
});
