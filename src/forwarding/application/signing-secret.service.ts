import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { FORMER_SECRET_DAYS, makeSigningSecret } from '../domain/webhook-signature.js';
import { TokenVault } from '../infrastructure/token-vault.js';
import { lockSettings } from './forwarding-settings.service.js';

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
    const signingSecret = makeSigningSecret();
    const { ciphertext, keyId } = this.vault.seal(projectId, signingSecret, 'signing_secret');
    const until = new Date(now.getTime() + FORMER_SECRET_DAYS * 24 * 60 * 60_000);
    return this.em.fork().transactional(async (tx) => {
      await lockSettings(tx, projectId);
      const { rows } = await sql<{ replaced: boolean }>`
        update forwarding_settings
        set former_signing_ciphertext = signing_ciphertext, former_signing_key_id = signing_key_id,
            former_signing_until = case when signing_ciphertext is not null then ${until}::timestamptz end,
            signing_ciphertext = ${ciphertext}, signing_key_id = ${keyId}, signing_created_at = ${now}::timestamptz
        where project_id = ${projectId}
        returning former_signing_ciphertext is not null as replaced
      `.execute(tx.getKysely());
      const formerValidUntil = rows[0]?.replaced ? until : null;
      await writeAudit(tx, author, {
        ...{ projectId, action: 'signing_secret.make' },
        after: { createdAt: now, formerValidUntil },
      });
      return { signingSecret, formerValidUntil };
    });
  }

  /** Ends the change-over: from now on the newest secret alone signs. Nothing happens where there is no other. */
  async forgetFormer(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const { numAffectedRows } = await sql`
        update forwarding_settings
        set former_signing_ciphertext = null, former_signing_key_id = null, former_signing_until = null
        where project_id = ${projectId} and former_signing_ciphertext is not null
      `.execute(tx.getKysely());
      if (Number(numAffectedRows) > 0)
        await writeAudit(tx, author, { projectId, action: 'signing_secret.forget_former' });
    });
  }

  /** Nothing is signed any more. Nothing happens where nothing was. */
  async remove(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const { numAffectedRows } = await sql`
        update forwarding_settings
        set signing_ciphertext = null, signing_key_id = null, signing_created_at = null,
            former_signing_ciphertext = null, former_signing_key_id = null, former_signing_until = null
        where project_id = ${projectId} and signing_ciphertext is not null
      `.execute(tx.getKysely());
      if (Number(numAffectedRows) > 0)
        await writeAudit(tx, author, { projectId, action: 'signing_secret.remove' });
    });
  }
}
