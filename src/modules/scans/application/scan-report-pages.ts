import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { findProject } from '../../projects/project.rows.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { type ScanSettings, scanSettings } from '../scans.settings.js';
import { classifyItem } from '../domain/classify-item.js';
import { FINDING_STATUSES } from '../domain/finding.js';
import type { ScanState } from '../domain/scan-state.js';
import type { ScanPageView, ScanStatement, ScanStateView, ScanView } from '../domain/scan-view.js';
import type { ClassifiedItem } from '../domain/seen-item.js';
import { readSeenItems } from '../infrastructure/evidence.rows.js';
import { readScanFindings, type ScanFindingView } from '../infrastructure/finding.rows.js';
import { readPages } from '../infrastructure/scan.rows.js';
import { readScreenshot, readStates } from '../infrastructure/state.rows.js';
import { readProof, readStatedScan } from '../infrastructure/statement.rows.js';
import { classificationSources } from './compute-findings.js';
import { FindingService, type StateSummary } from './finding.service.js';

/** Most listed findings; the report also has their total. */
const FINDINGS_MAX = 200;
const ITEMS_MAX = 500;

export const REPORT_LANGUAGES = ['en', 'de'] as const;
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number];

/** Facts of a scan, for a document that people read. */
export interface ScanReportPage {
  language: ReportLanguage;
  createdAt: Date;
  projectName: string;
  serviceUrl: string;
  /** `SCANNER_CONTACT`: part of the scanner's user agent. */
  contact: string;
  scan: ScanView;
  /** The location of the scanner; null: unknown. */
  region: string | null;
  states: ScanStateView[];
  screenshots: { state: ScanState; content: Uint8Array }[];
  summary: StateSummary[];
  findings: ScanFindingView[];
  moreFindings: boolean;
  items: ClassifiedItem[];
  itemCount: number;
  pages: ScanPageView[];
  /** The committed content in the project's log; null: the scan is not in the log. */
  statement: ScanStatement | null;
}

/** Collects what the PDF report of a scan shows. */
@Injectable()
export class ScanReportPages {
  constructor(
    private readonly em: EntityManager,
    private readonly findings: FindingService,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
    @InjectSettings(scanSettings) private readonly settings: ScanSettings,
  ) {}

  async collect(
    projectId: string,
    scan: ScanView,
    { language, createdAt }: { language: ReportLanguage; createdAt: Date },
  ): Promise<ScanReportPage> {
    const em = this.em.fork();
    const ref = { projectId, scanId: scan.id };
    const sources = await classificationSources(em, projectId);
    const seen = await readSeenItems(em, ref);
    const findings = await readScanFindings(em, ref, {
      statuses: FINDING_STATUSES,
      after: null,
      limit: FINDINGS_MAX + 1,
    });
    const states = await readStates(em, projectId, scan.id);
    const proof = await readProof(em, ref);
    return {
      language,
      createdAt,
      scan,
      states,
      serviceUrl: resolveBaseUrl(this.service),
      contact: this.settings.contact,
      projectName: (await findProject(em, projectId))?.name ?? '',
      region: (await readStatedScan(em, ref)).region,
      screenshots: await readScreenshots(em, ref, states),
      summary: (await this.findings.ofScan(projectId, scan.id, { limit: 1 })).summary,
      findings: findings.slice(0, FINDINGS_MAX),
      moreFindings: findings.length > FINDINGS_MAX,
      items: seen
        .slice(0, ITEMS_MAX)
        .map((item) => ({ ...item, classification: classifyItem(item, sources) })),
      itemCount: seen.length,
      pages: await readPages(em, projectId, scan.id),
      statement: proof && (JSON.parse(proof.body) as ScanStatement),
    };
  }
}

async function readScreenshots(
  em: EntityManager,
  ref: { projectId: string; scanId: string },
  states: readonly ScanStateView[],
): Promise<ScanReportPage['screenshots']> {
  const found: ScanReportPage['screenshots'] = [];
  for (const { state, hasScreenshot } of states) {
    const content = hasScreenshot ? await readScreenshot(em, ref, state) : null;
    if (content) found.push({ state, content });
  }
  return found;
}
