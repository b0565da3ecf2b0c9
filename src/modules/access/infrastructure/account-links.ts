import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../../platform/identity/ids.js';
import { hashOfToken, LINK_LIFE_MS, type LinkKind, generateToken } from '../domain/account-link.js';
import { accessTables } from './access.tables.js';

/** A valid link. */
export interface AccountLink {
  id: string;
  kind: LinkKind;
  userId: string | null;
  email: string;
  name: string | null;
  passwordHash: string | null;
}

const COLUMNS = ['id', 'kind', 'userId', 'email', 'name', 'passwordHash'] as const;

/** Creates a link in the caller's transaction, and deletes expired ones. The token is returned only here. */
export async function mintLink(
  tx: EntityManager,
  link: Omit<AccountLink, 'id'>,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = generateToken();
  const expiresAt = new Date(now.getTime() + LINK_LIFE_MS[link.kind]);
  await accessTables(tx).deleteFrom('account_link').where('expiresAt', '<', now).execute();
  await accessTables(tx)
    .insertInto('account_link')
    .values({ ...link, id: newId(), tokenHash: hashOfToken(token), createdAt: now, expiresAt })
    .execute();
  return { token, expiresAt };
}

/**
 * Locks the sign-up links of an address, in a fixed order. Every transaction that takes several of
 * them, or the address, takes this lock first.
 */
export async function lockSignUps(tx: EntityManager, email: string): Promise<void> {
  await accessTables(tx)
    .selectFrom('account_link')
    .select('id')
    .where('kind', '=', 'sign_up')
    .where('email', '=', email)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Deletes the links of a user, and the sign-up links of an address. */
export async function dropLinks(
  tx: EntityManager,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  await accessTables(tx)
    .deleteFrom('account_link')
    .where(({ eb, and, or }) =>
      or([eb('userId', '=', userId), and([eb('kind', '=', 'sign_up'), eb('email', '=', email)])]),
    )
    .execute();
}

/** The valid link of a token, without consuming it; null: none. */
export async function findLink(
  em: EntityManager,
  kind: LinkKind,
  token: string,
  now: Date,
): Promise<AccountLink | null> {
  const found = await accessTables(em)
    .selectFrom('account_link')
    .select(COLUMNS)
    .where('tokenHash', '=', hashOfToken(token))
    .where('kind', '=', kind)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return found ?? null;
}

/** Consumes a link: of two concurrent calls, one gets it. Null: consumed or expired. */
export async function redeemLink(
  tx: EntityManager,
  kind: LinkKind,
  token: string,
  now: Date,
): Promise<AccountLink | null> {
  const taken = await accessTables(tx)
    .deleteFrom('account_link')
    .where('tokenHash', '=', hashOfToken(token))
    .where('kind', '=', kind)
    .where('expiresAt', '>', now)
    .returning(COLUMNS)
    .executeTakeFirst();
  return taken ?? null;
}
