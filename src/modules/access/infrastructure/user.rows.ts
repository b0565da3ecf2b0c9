import type { EntityManager } from '@mikro-orm/postgresql';
import { DatabaseError } from 'pg';
import { newId } from '../../../platform/identity/ids.js';
import { linkEnded } from '../domain/account-link.js';
import { SESSION_DAYS_MAX } from '../domain/session.js';
import { accessTables } from './access.tables.js';

/** better-auth's name for sign-in by password. */
const PASSWORD_PROVIDER = 'credential';

/** Of PostgreSQL (appendix A). */
const UNIQUE_VIOLATION = '23505';

export interface UserRow {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
}

/** The user with an address, which is in lower case; null: none. */
export async function findUser(em: EntityManager, email: string): Promise<UserRow | null> {
  const found = await accessTables(em)
    .selectFrom('app_user')
    .select(['id', 'name', 'email', 'emailVerified'])
    .where('email', '=', email)
    .executeTakeFirst();
  return found ?? null;
}

export async function findUserById(em: EntityManager, id: string): Promise<UserRow | null> {
  const found = await accessTables(em)
    .selectFrom('app_user')
    .select(['id', 'name', 'email', 'emailVerified'])
    .where('id', '=', id)
    .executeTakeFirst();
  return found ?? null;
}

/** The part of a user that other members see. */
export interface UserSummary {
  id: string;
  email: string;
  name: string;
  /** Whether their account has a second factor. */
  secondFactor: boolean;
}

export async function findUsers(em: EntityManager, ids: readonly string[]): Promise<UserSummary[]> {
  if (ids.length === 0) return [];
  return accessTables(em)
    .selectFrom('app_user')
    .select(['id', 'email', 'name', 'twoFactorEnabled as secondFactor'])
    .where('id', 'in', [...ids])
    .execute();
}

/** The user with an id, their row locked until the transaction ends; null: none. */
export async function lockUser(tx: EntityManager, id: string): Promise<UserRow | null> {
  const found = await accessTables(tx)
    .selectFrom('app_user')
    .select(['id', 'name', 'email', 'emailVerified'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Creates a user with a confirmed address, in the caller's transaction and in the format of
 * better-auth. Null if the address already has a user. `passwordHash` null: no password yet.
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

/** The hash of a user's password; null without one. */
export async function findPasswordHash(em: EntityManager, userId: string): Promise<string | null> {
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

/** Marks an account's address as confirmed; false if the account has another address now. */
export async function confirmAddress(
  tx: EntityManager,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  now: Date,
): Promise<boolean> {
  const confirmed = await accessTables(tx)
    .updateTable('app_user')
    .set({ emailVerified: true, updatedAt: now })
    .where('id', '=', id)
    .where('email', '=', email)
    .executeTakeFirst();
  return confirmed.numUpdatedRows > 0n;
}

/**
 * Gives an account a confirmed address.
 * @throws DomainError `link_ended` if another account has it now.
 */
export async function changeAddress(
  tx: EntityManager,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  now: Date,
): Promise<void> {
  await accessTables(tx)
    .updateTable('app_user')
    .set({ email, emailVerified: true, updatedAt: now })
    .where('id', '=', id)
    .execute()
    .catch((error: unknown) => {
      throw error instanceof DatabaseError && error.code === UNIQUE_VIOLATION ? linkEnded() : error;
    });
}

export async function changeName(
  tx: EntityManager,
  { id, name }: Pick<UserRow, 'id' | 'name'>,
  now: Date,
): Promise<void> {
  await accessTables(tx).updateTable('app_user').set({ name, updatedAt: now }).where('id', '=', id).execute();
}

/** The language of the user with an address; null: no user, or unknown. */
export async function findLanguage(em: EntityManager, email: string): Promise<string | null> {
  const found = await accessTables(em)
    .selectFrom('app_user')
    .select('language')
    .where('email', '=', email)
    .executeTakeFirst();
  return found?.language ?? null;
}

/** Writes only a changed language. */
export async function noteLanguage(em: EntityManager, id: string, language: string): Promise<void> {
  await accessTables(em)
    .updateTable('app_user')
    .set({ language })
    .where('id', '=', id)
    .where((where) => where.or([where('language', 'is', null), where('language', '<>', language)]))
    .execute();
}

/** Deletes a user with their sessions, password, second factor, links, security log and keys. */
export async function deleteUser(tx: EntityManager, id: string): Promise<void> {
  await accessTables(tx).deleteFrom('app_user').where('id', '=', id).execute();
}

export interface SessionRow {
  id: string;
  /** Browser and system in words; null: unknown. */
  device: string | null;
  createdAt: Date;
  expiresAt: Date;
  /** null: not used since this is recorded. */
  lastUsedAt: Date | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The valid sessions of a user, newest first. */
export async function findSessions(em: EntityManager, userId: string, now: Date): Promise<SessionRow[]> {
  const rows = await accessTables(em)
    .selectFrom('user_session')
    .select(['id', 'userAgent', 'createdAt', 'expiresAt', 'lastUsedAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .where('createdAt', '>', new Date(now.getTime() - SESSION_DAYS_MAX * DAY_MS))
    .orderBy('createdAt', 'desc')
    .execute();
  return rows.map(({ userAgent, ...row }) => ({ ...row, device: userAgent === '' ? null : userAgent }));
}

/** Ends one session of a user; returns false if the user has none with that id. */
export async function endSession(
  tx: EntityManager,
  { userId, id }: { userId: string; id: string },
): Promise<boolean> {
  const ended = await accessTables(tx)
    .deleteFrom('user_session')
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return ended.numDeletedRows > 0n;
}

/** Ends the sessions of a user, except the one with the id `kept`, if given. Returns their number. */
export async function endSessions(tx: EntityManager, userId: string, kept?: string): Promise<number> {
  const all = accessTables(tx).deleteFrom('user_session').where('userId', '=', userId);
  const ended = await (kept === undefined ? all : all.where('id', '<>', kept)).executeTakeFirst();
  return Number(ended.numDeletedRows);
}

/** Stores the last use of a session. */
export async function noteUse(em: EntityManager, id: string, now: Date): Promise<void> {
  await accessTables(em).updateTable('user_session').set({ lastUsedAt: now }).where('id', '=', id).execute();
}
