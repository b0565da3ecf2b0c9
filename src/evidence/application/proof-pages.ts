import { Injectable } from '@nestjs/common';
import type { SiteDocument } from '../../publishing/domain/document.js';
import { ShownDocuments } from '../../publishing/shown-documents.js';
import { baseUrlOf } from '../../shared/base-url.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { type ProofFacts, proofFacts } from '../domain/proof-facts.js';
import type { Proof } from './proofs.js';
import { SealedState } from './sealed-state.js';

/** Facts about a proof for a page that people read. */
export interface ProofPage {
  facts: ProofFacts;
  /** The newest checkpoint of the project's log: when it was signed, and how many entries it covers. */
  newest: { signedAt: Date | null; size: number };
  /** The document that the record names; null: it names none, or the project has published no such document. */
  shown: SiteDocument | null;
  /** Where the keys are. */
  serviceUrl: string;
  madeAt: Date;
}

/** Collects the facts about a proof for people: its content, and the banner that the visitor saw. */
@Injectable()
export class ProofPages {
  constructor(
    private readonly state: SealedState,
    private readonly documents: ShownDocuments,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  /** @throws Error where the storage of what was published does not answer */
  async pageOf(projectId: string, proof: Proof, madeAt: Date): Promise<ProofPage> {
    const facts = proofFacts(proof.text);
    const { configHash } = facts.record;
    const shown = typeof configHash === 'string' ? await this.documents.find(projectId, configHash) : null;
    const { signedAt, size } = await this.state.ofProject(projectId);
    return { facts, newest: { signedAt, size }, shown, serviceUrl: baseUrlOf(this.service), madeAt };
  }
}
