import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newId } from '../../../platform/identity/ids.js';
import { writeSecurityEvent } from '../../audit/audit.log.js';
import type { TokenActor, UserActor } from '../domain/actor.js';
import { hashOfKey } from '../domain/api-key.js';
import { generatePersonalToken, TOKEN_LIFE_MS, tokenNotFound } from '../domain/personal-token.js';
import {
  deleteToken,
  findTokenHolder,
  insertToken,
  listTokens,
  noteTokenUse,
  type PersonalTokenRow,
  type TokenHolder,
} from '../infrastructure/personal-token.rows.js';
import { findUserById } from '../infrastructure/user.rows.js';
import { AccountMails } from './account-mails.js';

/** The tokens of persons for the command line. */
@Injectable()
export class PersonalTokenService {
  constructor(
    private readonly em: EntityManager,
    private readonly mails: AccountMails,
  ) {}

  /** The person of a token, or null if it is unknown, revoked or expired. Stores the day of its last use. */
  async find(token: string): Promise<TokenHolder | null> {
    const em = this.em.fork();
    const now = new Date();
    const holder = await findTokenHolder(em, hashOfKey(token), now);
    const today = now.toISOString().slice(0, 10);
    if (holder && (holder.lastUsedOn ?? '') < today) await noteTokenUse(em, holder.tokenId, today);
    return holder;
  }

  /** Creates a token in the caller's transaction, and notifies its owner. It is returned only here. */
  async issue(
    tx: EntityManager,
    { userId, name, network }: { userId: string; name: string; network: string | null },
    now: Date,
  ): Promise<string> {
    const token = generatePersonalToken();
    const expiresAt = new Date(now.getTime() + TOKEN_LIFE_MS);
    await insertToken(tx, {
      id: newId(),
      userId,
      name,
      tokenHash: hashOfKey(token),
      createdAt: now,
      expiresAt,
    });
    await writeSecurityEvent(tx, { userId, action: 'personal_token_created', network });
    const user = await findUserById(tx, userId);
    if (user) await this.mails.personalTokenCreated(tx, user.email, name);
    return token;
  }

  list({ userId }: UserActor): Promise<PersonalTokenRow[]> {
    return listTokens(this.em.fork(), userId, new Date());
  }

  /** Requests with the token get 401 at once. @throws DomainError `personal_token_not_found`. */
  async revoke({ userId, network }: UserActor | TokenActor, id: string): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (!(await deleteToken(tx, { userId, id }))) throw tokenNotFound();
      await writeSecurityEvent(tx, { userId, action: 'personal_token_revoked', network });
    });
  }
}
