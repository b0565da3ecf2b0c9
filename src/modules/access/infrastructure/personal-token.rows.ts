import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { TOKENS_PER_USER_MAX } from '../domain/personal-token.js';
import { accessTables } from './access.tables.js';

/** A token in the list of its owner. */
export interface PersonalTokenRow {
  id: string;
  /** Name of the machine. */
  name: string;
  createdAt: Date;
  expiresAt: Date;
  /** UTC, as `2026-11-21`; null: not used yet. */
  lastUsedOn: string | null;
}

/** The person of a valid token. */
export interface TokenHolder {
  tokenId: string;
  expiresAt: Date;
  lastUsedOn: string | null;
  userId: string;
  name: string;
  email: string;
  emailConfirmed: boolean;
  secondFactor: boolean;
}

export async function findTokenHolder(
  em: EntityManager,
  tokenHash: Buffer,
  now: Date,
): Promise<TokenHolder | null> {
  const found = await accessTables(em)
    .selectFrom('personal_token as t')
    .innerJoin('app_user as u', 'u.id', 't.userId')
    .select([
      't.id as tokenId',
      't.expiresAt',
      sql<string | null>`t.last_used_on::text`.as('lastUsedOn'),
      'u.id as userId',
      'u.name',
      'u.email',
      'u.emailVerified as emailConfirmed',
      'u.twoFactorEnabled as secondFactor',
    ])
    .where('t.tokenHash', '=', tokenHash)
    .where('t.expiresAt', '>', now)
    .executeTakeFirst();
  return found ?? null;
}

/** The valid tokens of a person, newest first: at most `TOKENS_PER_USER_MAX`. */
export async function listTokens(em: EntityManager, userId: string, now: Date): Promise<PersonalTokenRow[]> {
  return accessTables(em)
    .selectFrom('personal_token as t')
    .select([
      't.id',
      't.name',
      't.createdAt',
      't.expiresAt',
      sql<string | null>`t.last_used_on::text`.as('lastUsedOn'),
    ])
    .where('t.userId', '=', userId)
    .where('t.expiresAt', '>', now)
    .orderBy('t.createdAt', 'desc')
    .orderBy('t.id', 'desc')
    .execute();
}

/** Adds a token, and deletes expired ones of the person and those above the limit, oldest first. */
export async function insertToken(
  tx: EntityManager,
  token: { id: string; userId: string; name: string; tokenHash: Buffer; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await accessTables(tx).insertInto('personal_token').values(token).execute();
  await sql`
    delete from personal_token where user_id = ${token.userId} and (expires_at <= ${token.createdAt} or id in (
      select id from personal_token where user_id = ${token.userId}
      order by created_at desc, id desc offset ${TOKENS_PER_USER_MAX}
    ))
  `.execute(tx.getKysely());
}

export async function noteTokenUse(em: EntityManager, id: string, day: string): Promise<void> {
  await sql`update personal_token set last_used_on = ${day}::date where id = ${id}`.execute(em.getKysely());
}

/** Deletes one token of a person; false: there is none with this id. */
export async function deleteToken(
  tx: EntityManager,
  { userId, id }: { userId: string; id: string },
): Promise<boolean> {
  const { numDeletedRows } = await accessTables(tx)
    .deleteFrom('personal_token')
    .where('userId', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes the tokens of a person, and approved requests for more. */
export async function deleteTokens(tx: EntityManager, userId: string): Promise<void> {
  await accessTables(tx).deleteFrom('personal_token').where('userId', '=', userId).execute();
  await accessTables(tx).deleteFrom('device_authorization').where('userId', '=', userId).execute();
}
