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

/** A new secret in plain text, returned only once. */
export interface NewSigningSecret {
  signingSecret: string;
  /** Until when the previous one signs too; null: there was none. */
  formerValidUntil: Date | null;
}

/**
 * Creates, rotates and deletes the secret that signs requests to a project's endpoint (Standard Webhooks).
 */
@Injectable()
export class SigningSecretService {
  constructor(
    private readonly em: EntityManager,
    private readonly vault: TokenVault,
  ) {}

  /**
   * Creates a secret that signs all requests from now on. The previous one also signs for
   * `FORMER_SECRET_DAYS`, or until `forgetFormer`; the one before that expires at once, so there
   * are never more than two.
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
        projectId,
        action: 'signing_secret.create',
        after: { createdAt: now, formerValidUntil },
      });
      return { signingSecret, formerValidUntil };
    });
  }

  /** Ends the rotation: only the newest secret signs. Does nothing without a previous one. */
  async forgetFormer(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await deleteFormerSigningSecret(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'signing_secret.forget_former' });
    });
  }

  /** Stops signing. Does nothing if the project has no secret. */
  async remove(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await deleteSigningSecrets(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'signing_secret.remove' });
    });
  }
}
