import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { FORMER_SECRET_DAYS, createSigningSecret } from '../domain/webhook-signature.js';
import { TokenVault } from '../infrastructure/token-vault.js';
import {
  deleteFormerSigningSecret,
  deleteSigningSecrets,
  rotateSigningSecret,
} from '../infrastructure/secret.rows.js';
import { lockSettings } from '../infrastructure/settings.rows.js';

/** A secret as it is handed over, this once. */
export interface NewSigningSecret {
  signingSecret: string;
  /** Until when the one before it signs too; null where there was none. */
  formerValidUntil: Date | null;
}

/** Makes, replaces and removes the secret that requests to a project's endpoint are signed with (Standard Webhooks). */
@Injectable()
export class SigningSecretService {
  constructor(
    private readonly em: EntityManager,
    private readonly vault: TokenVault,
  ) {}

  /**
   * Makes a secret, with which everything is signed from now on. The previous one also signs for
   * `FORMER_SECRET_DAYS`, or until `forgetFormer`; the one before that ends at once, so that there are never more than two.
   */
  async make(projectId: string, author: Author, now: Date): Promise<NewSigningSecret> {
    const signingSecret = createSigningSecret();
    const sealed = this.vault.seal(projectId, signingSecret, 'signing_secret');
    const until = new Date(now.getTime() + FORMER_SECRET_DAYS * 24 * 60 * 60_000);
    return this.em.fork().transactional(async (tx) => {
      await lockSettings(tx, projectId);
      const isReplaced = await rotateSigningSecret(tx, projectId, { sealed, now, until });
      const formerValidUntil = isReplaced ? until : null;
      await writeAudit(tx, author, {
        ...{ projectId, action: 'signing_secret.create' },
        after: { createdAt: now, formerValidUntil },
      });
      return { signingSecret, formerValidUntil };
    });
  }

  /** Ends the change-over: from now on the newest secret alone signs. Nothing happens where there is no other. */
  async forgetFormer(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await deleteFormerSigningSecret(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'signing_secret.forget_former' });
    });
  }

  /** Nothing is signed any more. Nothing happens where nothing was. */
  async remove(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await deleteSigningSecrets(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'signing_secret.remove' });
    });
  }
}
