import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ConsentHooks, type ExportProver } from '../../consent/consent.hooks.js';
import type { ConsentRef } from '../../consent/domain/consent-recorded.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import { LogSigner } from './log-signer.js';
import { type ProofResult, Proofs } from './proofs.js';
import { SignedViews } from './signed-view.js';

const PENDING =
  'Not in the log yet when this file was created, which takes about a minute. Export these records again:';
const GONE = 'Erased or past retention while this file was created:';

/** Adds proofs to visitors' receipts and to exports. */
@Injectable()
export class RecordProofs implements OnModuleInit {
  private readonly logger = new Logger(RecordProofs.name);

  constructor(
    private readonly hooks: ConsentHooks,
    private readonly proofs: Proofs,
    private readonly views: SignedViews,
    private readonly signer: LogSigner,
  ) {}

  onModuleInit(): void {
    this.hooks.set({
      proveForReceipt: (ref) => this.proveForReceipt(ref),
      proverForExport: (projectId) => this.createProver(projectId),
    });
  }

  /** null while no signed checkpoint covers the record, or if it will not be in the log. */
  private async proveForReceipt(ref: ConsentRef): Promise<string | null> {
    try {
      const proof = await orUnavailable(this.logger, 'The log', () => this.proofs.proveRecord(ref));
      return proof?.text ?? null;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'consent_not_sealed') return null;
      throw error;
    }
  }

  private async createProver(projectId: string): Promise<ExportProver | null> {
    const view = await this.views.read(projectId);
    if (!view.signed && !this.signer.isOn) return null;
    return {
      prove: async (consentIds) => (await this.proofs.prove(view, consentIds)).map(toExportEntry),
    };
  }
}

function toExportEntry(result: ProofResult): { proof: string } | { missing: string } {
  switch (result.kind) {
    case 'proved':
      return { proof: result.proof.text };
    case 'pending':
      return { missing: PENDING };
    case 'never':
    case 'damaged':
      return { missing: result.reason };
    case 'unknown':
      return { missing: GONE };
  }
}
