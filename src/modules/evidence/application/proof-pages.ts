import { Injectable } from '@nestjs/common';
import type { DataController } from '../../projects/domain/project.js';
import type { MessageLanguage } from '../../../platform/messages/messages.js';
import type { SiteDocument } from '../../publishing/domain/document.js';
import { ShownDocuments } from '../../publishing/site-configurations.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { type ProofFacts, proofFacts } from '../domain/proof-facts.js';
import type { Proof } from './signed-view.js';
import { EvidenceState } from './evidence-state.js';

/** Facts about a proof, for a document that people read. */
export interface ProofPage {
  facts: ProofFacts;
  /** The newest checkpoint of the project's log: when it was signed, and how many entries it covers. */
  newest: { signedAt: Date | null; size: number };
  /** The published document that the record names; null: it names none, or the project did not publish it. */
  shown: SiteDocument | null;
  /** Base URL of the keys. */
  serviceUrl: string;
  createdAt: Date;
  /** Of the user who downloads it; null: an API key does. */
  createdBy: string | null;
  controller: DataController;
  language: MessageLanguage;
  /** IANA name of the local time. */
  timeZone: string;
}

/** What the page has besides the proof. */
type ProofPageOptions = Pick<ProofPage, 'createdAt' | 'createdBy' | 'controller' | 'language' | 'timeZone'>;

/** Collects the contents of a proof, and the banner that the visitor saw. */
@Injectable()
export class ProofPages {
  constructor(
    private readonly state: EvidenceState,
    private readonly documents: ShownDocuments,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  /** @throws Error if the storage of published documents is unavailable */
  async collect(projectId: string, proof: Proof, options: ProofPageOptions): Promise<ProofPage> {
    const facts = proofFacts(proof.text);
    const { configHash } = facts.record;
    const shown = typeof configHash === 'string' ? await this.documents.find(projectId, configHash) : null;
    const { signedAt, size } = await this.state.readLog(projectId);
    const serviceUrl = resolveBaseUrl(this.service);
    return { ...options, facts, newest: { signedAt, size }, shown, serviceUrl };
  }
}
