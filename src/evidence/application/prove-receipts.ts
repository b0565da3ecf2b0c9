import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ConsentEvents } from '../../consent/consent.events.js';
import type { ConsentRef } from '../../consent/domain/consent-recorded.js';
import { DomainError } from '../../shared/domain-error.js';
import { orUnavailable } from '../../shared/or-unavailable.js';
import { Proofs } from './proofs.js';

/** Puts a record's proof into the receipt that its visitor downloads. */
@Injectable()
export class ProveReceipts implements OnModuleInit {
  private readonly logger = new Logger(ProveReceipts.name);

  constructor(
    private readonly events: ConsentEvents,
    private readonly proofs: Proofs,
  ) {}

  onModuleInit(): void {
    this.events.proveReceipts((ref) => this.proofOf(ref));
  }

  /** null while it is not sealed, and where it never will be. */
  private async proofOf(ref: ConsentRef): Promise<string | null> {
    try {
      const proof = await orUnavailable(this.logger, 'The log', () => this.proofs.proofOf(ref));
      return proof?.text ?? null;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'consent_not_sealed') return null;
      throw error;
    }
  }
}
