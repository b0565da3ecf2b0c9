import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../shared/ids.js';
import { accessTables } from './access.tables.js';

/** What better-auth calls a way to sign in by password. */
const PASSWORD_PROVIDER = 'credential';

export interface UserRow {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
}

/** The user with an address, which is in lower case; null where there is none. */
export async function findUser(em: EntityManager, email: string): Promise<UserRow | null> {
  const found = await accessTables(em)
    .selectFrom('app_user')
    .select(['id', 'name', 'email', 'emailVerified'])
    .where('email', '=', email)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Makes a user whose address is proven, in the caller's transaction and in the shape that better-auth reads. Null where
 * the address has one already. `passwordHash` null: she has none yet.
 */
export async function insertUser(
  tx: EntityManager,
  { name, email, passwordHash }: { name: string; email: string; passwordHash: string | null },
  now: Date,
): Promise<string | null> {
  const id = newId();
  const times = { createdAt: now, updatedAt: now };
  const made = await accessTables(tx)
    .insertInto('app_user')
    .values({ id, name, email, emailVerified: true, ...times })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return null;
  await accessTables(tx)
    .insertInto('user_account')
    .values({
      id: newId(),
      userId: id,
      providerId: PASSWORD_PROVIDER,
      accountId: id,
      password: passwordHash,
      ...times,
    })
    .execute();
  return id;
}

/** The hash of a user's password; null where she has none. */
export async function passwordHashOf(em: EntityManager, userId: string): Promise<string | null> {
  const found = await accessTables(em)
    .selectFrom('user_account')
    .select('password')
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .executeTakeFirst();
  return found?.password ?? null;
}

export async function setPasswordHash(
  tx: EntityManager,
  userId: string,
  passwordHash: string,
  now: Date,
): Promise<void> {
  await accessTables(tx)
    .updateTable('user_account')
    .set({ password: passwordHash, updatedAt: now })
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .execute();
}

/** Writes down that the person behind an account has proven its address. */
export async function confirmAddress(tx: EntityManager, userId: string, now: Date): Promise<void> {
  await accessTables(tx)
    .updateTable('app_user')
    .set({ emailVerified: true, updatedAt: now })
    .where('id', '=', userId)
    .execute();
}

/** Ends the sessions of a user; all but the one with the id `kept`, if given. */
export async function endSessions(tx: EntityManager, userId: string, kept?: string): Promise<void> {
  const all = accessTables(tx).deleteFrom('user_session').where('userId', '=', userId);
  await (kept === undefined ? all : all.where('id', '<>', kept)).execute();
}
