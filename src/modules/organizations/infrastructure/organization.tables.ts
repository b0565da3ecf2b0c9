import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type {
  OrganizationInvitationSchema,
  OrganizationMemberSchema,
  OrganizationSchema,
} from './organization.entities.js';

type OrganizationTables = TablesOf<
  typeof OrganizationInvitationSchema | typeof OrganizationMemberSchema | typeof OrganizationSchema
>;

/** Typed queries over organizations, their members and invitations. */
export const organizationTables = (em: EntityManager): Kysely<OrganizationTables> =>
  typedTables<OrganizationTables>(em);
