import { Injectable } from '@nestjs/common';
import type { DataController } from '../../projects/domain/project.js';
import type { MessageLanguage } from '../../../platform/messages/messages.js';
import { ConsentHooks, type ImportFacts } from '../../consent/consent.hooks.js';
import { ConsentRecords } from '../../consent/consent.records.js';
import { consentKey, type ConsentRef } from '../../consent/domain/consent-recorded.js';
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
  /** The import that stored the record; null: the service collected it. */
  imported: ImportFacts | null;
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
    private readonly records: ConsentRecords,
    private readonly hooks: ConsentHooks,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  /** @throws Error if the storage of published documents is unavailable */
  async collect(projectId: string, proof: Proof, options: ProofPageOptions): Promise<ProofPage> {
    const facts = proofFacts(proof.text);
    const { configHash } = facts.record;
    const shown = typeof configHash === 'string' ? await this.documents.find(projectId, configHash) : null;
    const { signedAt, size } = await this.state.readLog(projectId);
    const serviceUrl = resolveBaseUrl(this.service);
    const imported = await this.findImport({ projectId, consentId: String(facts.record['id']) });
    return { ...options, facts, newest: { signedAt, size }, shown, serviceUrl, imported };
  }

  private async findImport(ref: ConsentRef): Promise<ImportFacts | null> {
    const importId = (await this.records.load([ref])).get(consentKey(ref))?.importId ?? null;
    if (importId === null) return null;
    return this.hooks.current.readImport({ projectId: ref.projectId, importId });
  }
}
