import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { Actor } from '../domain/actor.js';
import { endSession, endSessions, type SessionRow, findSessions } from '../infrastructure/session.rows.js';

type User = Actor & { kind: 'user' };

/** A user's own sessions. */
@Injectable()
export class SessionService {
  constructor(private readonly em: EntityManager) {}

  /** The caller's valid sessions, newest first; at most `SESSIONS_PER_USER_MAX`. */
  async list({ userId, sessionId }: User): Promise<(SessionRow & { current: boolean })[]> {
    const sessions = await findSessions(this.em.fork(), userId, new Date());
    return sessions.map((session) => ({ ...session, current: session.id === sessionId }));
  }

  /** Ends one of the caller's sessions at once. @throws DomainError `session_not_found`. */
  async end({ userId, network }: User, id: string): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (!(await endSession(tx, { userId, id }))) throw sessionNotFound();
      await writeSecurityEvent(tx, { userId, action: 'sign_out', network });
    });
  }

  /** Ends all of the caller's sessions except the current one. */
  async endOthers({ userId, sessionId, network }: User): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if ((await endSessions(tx, userId, sessionId)) === 0) return;
      await writeSecurityEvent(tx, { userId, action: 'sessions_ended', network });
    });
  }
}

export function sessionNotFound(): DomainError {
  return new DomainError('session_not_found', 'Session not found, or already signed out.');
}
