import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ConsentHooks, type ExportProver } from '../../consent/consent.hooks.js';
import type { ConsentRef } from '../../consent/domain/consent-recorded.js';
import { DomainError } from '../../shared/domain-error.js';
import { orUnavailable } from '../../shared/or-unavailable.js';
import { LogSigner } from './log-signer.js';
import { Proofs, type Proving } from './proofs.js';

const PENDING =
  'Not in the log yet when this file was created, which takes about a minute. Export these records again:';
const GONE = 'Erased or past retention while this file was created:';

/** Puts proofs into what consent hands out: the receipt of a visitor, and the export of a project. */
@Injectable()
export class ProveRecords implements OnModuleInit {
  private readonly logger = new Logger(ProveRecords.name);

  constructor(
    private readonly hooks: ConsentHooks,
    private readonly proofs: Proofs,
    private readonly signer: LogSigner,
  ) {}

  onModuleInit(): void {
    this.hooks.set({
      proveForReceipt: (ref) => this.proofOf(ref),
      proverForExport: (projectId) => this.proverOf(projectId),
    });
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

  private async proverOf(projectId: string): Promise<ExportProver | null> {
    const view = await this.proofs.view(projectId);
    if (!view.signed && !this.signer.isOn) return null;
    return {
      prove: async (consentIds) => (await this.proofs.prove(view, consentIds)).map(inWords),
    };
  }
}

function inWords(proving: Proving): { proof: string } | { missing: string } {
  switch (proving.kind) {
    case 'proved':
      return { proof: proving.proof.text };
    case 'pending':
      return { missing: PENDING };
    case 'never':
    case 'damaged':
      return { missing: proving.reason };
    case 'unknown':
      return { missing: GONE };
  }
}
