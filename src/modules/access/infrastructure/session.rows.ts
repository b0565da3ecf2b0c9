import type { EntityManager } from '@mikro-orm/postgresql';
import { SESSION_DAYS_MAX } from '../domain/session-end.js';
import { accessTables } from './access.tables.js';

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

/**
 * Ends the sessions of a user, except the one with the id `kept`, if given. Returns their number.
 */
export async function endSessions(tx: EntityManager, userId: string, kept?: string): Promise<number> {
  const all = accessTables(tx).deleteFrom('user_session').where('userId', '=', userId);
  const ended = await (kept === undefined ? all : all.where('id', '<>', kept)).executeTakeFirst();
  return Number(ended.numDeletedRows);
}

/** Stores the last use of a session. */
export async function noteUse(em: EntityManager, id: string, now: Date): Promise<void> {
  await accessTables(em).updateTable('user_session').set({ lastUsedAt: now }).where('id', '=', id).execute();
}
