import type { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit, writeSecurityEvent } from '../../audit/audit.log.js';
import { makeOrganizationAdmin } from '../../organizations/organization-memberships.js';
import { LINK_PAGES, linkTo } from '../domain/account-link.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { mintLink } from '../infrastructure/account-links.js';
import { confirmAddress, findUser, insertUser } from '../infrastructure/user.rows.js';

/** Creates an account without a password, and a link that sets it; null if the address has one. */
export async function createAccount(
  em: EntityManager,
  { email, name, baseUrl }: { email: string; name: string; baseUrl: string },
): Promise<PasswordLink | null> {
  return em.fork().transactional(async (tx) => {
    const now = new Date();
    const userId = await insertUser(tx, { email, name, passwordHash: null }, now);
    if (!userId) return null;
    await writeAudit(tx, { kind: 'operator', id: null }, { action: 'account.create', target: userId });
    return passwordLink(tx, { userId, email, baseUrl, now });
  });
}

/** A link that sets a new password, as the mail of a forgotten password contains it; null without an account. */
export async function resetPassword(
  em: EntityManager,
  { email, baseUrl }: { email: string; baseUrl: string },
): Promise<PasswordLink | null> {
  return em.fork().transactional(async (tx) => {
    const user = await findUser(tx, email);
    if (!user) return null;
    const author = { kind: 'operator', id: null } as const;
    await writeAudit(tx, author, { action: 'account.reset_password', target: user.id });
    return passwordLink(tx, { userId: user.id, email, baseUrl, now: new Date() });
  });
}

interface PasswordLink {
  link: string;
  until: Date;
}

async function passwordLink(
  tx: EntityManager,
  { userId, email, baseUrl, now }: { userId: string; email: string; baseUrl: string; now: Date },
): Promise<PasswordLink> {
  const requested = { kind: 'reset_password', userId, email, name: null, passwordHash: null } as const;
  const { token, expiresAt } = await mintLink(tx, requested, now);
  return { link: linkTo(baseUrl, LINK_PAGES.reset_password, token), until: expiresAt };
}

/** Marks an account's address as confirmed; false without an account. */
export async function confirmAccount(em: EntityManager, email: string): Promise<boolean> {
  return em.fork().transactional(async (tx) => {
    const user = await findUser(tx, email);
    if (!user) return false;
    await confirmAddress(tx, user, new Date());
    await writeAudit(tx, { kind: 'operator', id: null }, { action: 'account.confirm', target: user.id });
    return true;
  });
}

/** Removes an account's second factor; false without an account. */
export async function dropSecondFactor(em: EntityManager, email: string): Promise<boolean> {
  return em.fork().transactional(async (tx) => {
    const user = await findUser(tx, email);
    if (!user) return false;
    await accessTables(tx).deleteFrom('user_second_factor').where('userId', '=', user.id).execute();
    await accessTables(tx)
      .updateTable('app_user')
      .set({ twoFactorEnabled: false })
      .where('id', '=', user.id)
      .execute();
    await writeSecurityEvent(tx, { userId: user.id, action: 'second_factor_disabled', network: null });
    const author = { kind: 'operator', id: null } as const;
    await writeAudit(tx, author, { action: 'account.drop_second_factor', target: user.id });
    return true;
  });
}

/** Makes an account with a confirmed address an admin of an organization; returns the reason if it cannot. */
export async function makeAdmin(
  em: EntityManager,
  { email, organizationId }: { email: string; organizationId: string },
): Promise<'made' | 'no account' | 'not confirmed' | 'no organization'> {
  return em.fork().transactional(async (tx) => {
    const user = await findUser(tx, email);
    if (!user) return 'no account';
    if (!user.emailVerified) return 'not confirmed';
    const author = { kind: 'operator', id: null } as const;
    const isMade = await makeOrganizationAdmin(tx, { organizationId, userId: user.id }, author);
    return isMade ? 'made' : 'no organization';
  });
}
