import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Role } from '../../access/domain/role.js';
import type { Organization, OrganizationRole, OrganizationRoles } from '../domain/organization.js';
import { organizationTables } from './organization.tables.js';

interface MemberRef {
  organizationId: string;
  userId: string;
}

interface PageStart {
  after: string | null;
  limit: number;
}

export interface OrganizationMemberRow extends MemberRef, OrganizationRoles {
  createdAt: Date;
}

export interface OrganizationInvitationRow extends OrganizationRoles {
  organizationId: string;
  id: string;
  email: string;
  tokenHash: Uint8Array;
  invitedBy: string | null;
  createdAt: Date;
  sentAt: Date;
  expiresAt: Date;
}

export async function insertOrganization(tx: EntityManager, row: Organization): Promise<void> {
  await organizationTables(tx).insertInto('organization').values(row).execute();
}

export async function findOrganization(em: EntityManager, id: string): Promise<Organization | null> {
  const found = await organizationTables(em)
    .selectFrom('organization')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return found ?? null;
}

/** Like `lockProject`; false if the organization is deleted. */
export async function lockOrganizationRow(tx: EntityManager, id: string): Promise<boolean> {
  if (!tx.isInTransaction()) throw new Error('An organization must be locked inside a transaction.');
  const found = await organizationTables(tx)
    .selectFrom('organization')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found !== undefined;
}

export async function renameOrganization(tx: EntityManager, id: string, name: string): Promise<void> {
  await organizationTables(tx).updateTable('organization').set({ name }).where('id', '=', id).execute();
}

export async function deleteOrganization(tx: EntityManager, id: string): Promise<void> {
  await organizationTables(tx).deleteFrom('organization').where('id', '=', id).execute();
}

/** At most `limit` organizations of a user with their roles, newest first. */
export async function listOrganizationsOf(
  em: EntityManager,
  userId: string,
  { after, limit }: PageStart,
): Promise<(Organization & OrganizationRoles)[]> {
  return organizationTables(em)
    .selectFrom('organization_member as m')
    .innerJoin('organization as o', 'o.id', 'm.organizationId')
    .select(['o.id', 'o.name', 'o.createdAt', 'm.role', 'm.projectRole'])
    .where('m.userId', '=', userId)
    .$if(after !== null, (query) => query.where('m.organizationId', '<', after))
    .orderBy('m.organizationId', 'desc')
    .limit(limit)
    .execute();
}

/** The memberships of a user by organization, in the order in which organizations are locked. */
export async function listMembershipsOf(
  em: EntityManager,
  userId: string,
): Promise<{ organizationId: string; name: string; role: OrganizationRole }[]> {
  return organizationTables(em)
    .selectFrom('organization_member as m')
    .innerJoin('organization as o', 'o.id', 'm.organizationId')
    .select(['m.organizationId', 'o.name', 'm.role'])
    .where('m.userId', '=', userId)
    .orderBy('m.organizationId')
    .execute();
}

export async function findMember(
  em: EntityManager,
  { organizationId, userId }: MemberRef,
): Promise<OrganizationMemberRow | null> {
  const found = await organizationTables(em)
    .selectFrom('organization_member')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return found ?? null;
}

/** At most `limit` members, in the order in which they signed up, after the user id `after`, if given. */
export async function listMembers(
  em: EntityManager,
  organizationId: string,
  { after, limit }: PageStart,
): Promise<OrganizationMemberRow[]> {
  return organizationTables(em)
    .selectFrom('organization_member')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .$if(after !== null, (query) => query.where('userId', '>', after))
    .orderBy('userId')
    .limit(limit)
    .execute();
}

/** Inserts a member, or changes their roles. */
export async function writeMember(
  tx: EntityManager,
  {
    organizationId,
    userId,
    role,
    projectRole,
  }: MemberRef & { role: OrganizationRole; projectRole: Role | null },
): Promise<void> {
  await organizationTables(tx)
    .insertInto('organization_member')
    .values({ organizationId, userId, role, projectRole, createdAt: new Date() })
    .onConflict((conflict) =>
      conflict.columns(['organizationId', 'userId']).doUpdateSet({ role, projectRole }),
    )
    .execute();
}

export async function deleteMember(tx: EntityManager, { organizationId, userId }: MemberRef): Promise<void> {
  await organizationTables(tx)
    .deleteFrom('organization_member')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', userId)
    .execute();
}

export async function countMembers(em: EntityManager, organizationId: string): Promise<number> {
  const { count } = await organizationTables(em)
    .selectFrom('organization_member')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('organizationId', '=', organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function countAdmins(em: EntityManager, organizationId: string): Promise<number> {
  const { count } = await organizationTables(em)
    .selectFrom('organization_member')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Organizations in which a user is an admin; simultaneous requests of the user count one after the other. */
export async function countAdministered(tx: EntityManager, userId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('organizations ' || ${userId}::text, 0))`.execute(
    tx.getKysely(),
  );
  const { count } = await organizationTables(tx)
    .selectFrom('organization_member')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('userId', '=', userId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertInvitation(tx: EntityManager, row: OrganizationInvitationRow): Promise<void> {
  await organizationTables(tx)
    .insertInto('organization_invitation')
    .values({ ...row, tokenHash: Buffer.from(row.tokenHash) })
    .execute();
}

/** Replaces the token of an invitation, whose earlier links expire. */
export async function renewInvitation(
  tx: EntityManager,
  { organizationId, id }: { organizationId: string; id: string },
  sent: { tokenHash: Buffer; sentAt: Date; expiresAt: Date },
): Promise<void> {
  await organizationTables(tx)
    .updateTable('organization_invitation')
    .set(sent)
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

export async function deleteInvitation(
  tx: EntityManager,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await organizationTables(tx)
    .deleteFrom('organization_invitation')
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

export async function countInvitations(em: EntityManager, organizationId: string): Promise<number> {
  const { count } = await organizationTables(em)
    .selectFrom('organization_invitation')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('organizationId', '=', organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** An invitation by the hash of its token, by id and address, or by organization and id or address. */
export async function findInvitationBy(
  em: EntityManager,
  by:
    | { tokenHash: Buffer }
    | { id: string; email: string }
    | { organizationId: string; id: string }
    | { organizationId: string; email: string },
): Promise<OrganizationInvitationRow | null> {
  let query = organizationTables(em).selectFrom('organization_invitation').selectAll();
  if ('tokenHash' in by) query = query.where('tokenHash', '=', by.tokenHash);
  if ('organizationId' in by) query = query.where('organizationId', '=', by.organizationId);
  if ('id' in by) query = query.where('id', '=', by.id);
  if ('email' in by) query = query.where('email', '=', by.email);
  return (await query.executeTakeFirst()) ?? null;
}

/** At most `limit` invitations of an organization, newest first. */
export async function listInvitations(
  em: EntityManager,
  organizationId: string,
  { after, limit }: PageStart,
): Promise<OrganizationInvitationRow[]> {
  return organizationTables(em)
    .selectFrom('organization_invitation')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .$if(after !== null, (query) => query.where('id', '<', after))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** All invitations to an address, expired ones included. */
export async function listAllInvitationsTo(
  em: EntityManager,
  email: string,
): Promise<OrganizationInvitationRow[]> {
  return organizationTables(em)
    .selectFrom('organization_invitation')
    .selectAll()
    .where('email', '=', email)
    .orderBy('id')
    .execute();
}

/** The invitations that a member sent. */
export async function listInvitationsBy(
  em: EntityManager,
  { organizationId, userId }: MemberRef,
): Promise<OrganizationInvitationRow[]> {
  return organizationTables(em)
    .selectFrom('organization_invitation')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('invitedBy', '=', userId)
    .orderBy('id')
    .execute();
}

/** At most `limit` invitations of an address that can be accepted, newest first, with the organizations' names. */
export async function listInvitationsTo(
  em: EntityManager,
  email: string,
  { after, limit }: PageStart,
): Promise<(OrganizationInvitationRow & { organizationName: string })[]> {
  return organizationTables(em)
    .selectFrom('organization_invitation as i')
    .innerJoin('organization as o', 'o.id', 'i.organizationId')
    .selectAll('i')
    .select('o.name as organizationName')
    .where('i.email', '=', email)
    .where('i.expiresAt', '>', new Date())
    .$if(after !== null, (query) => query.where('i.id', '<', after))
    .orderBy('i.id', 'desc')
    .limit(limit)
    .execute();
}
