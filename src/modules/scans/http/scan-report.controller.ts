import { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { FileAnswer } from '../../../platform/http/file-answer.js';
import { type PdfDrawing, PdfRenderer, streamOf } from '../../../platform/pdf/pdf-renderer.js';
import { CurrentProject, CurrentRole, ProjectRole } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import { type Role, roleCovers } from '../../access/domain/role.js';
import { EXPORT_TIERS } from '../../licensing/domain/catalogue.js';
import type { TierCheck } from '../../licensing/domain/tier-required.js';
import { CurrentTierCheck, LeaveTierToUseCase, RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import {
  REPORT_LANGUAGES,
  type ReportLanguage,
  type ScanReportPage,
  ScanReportPages,
} from '../application/scan-report-pages.js';
import { ScanReportService } from '../application/scan-report.service.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import type { ScanView } from '../domain/scan-view.js';

const REPORT_PDF: PdfDrawing<ScanReportPage> = {
  module: new URL('./scan-report-pdf.js', import.meta.url).href,
  name: 'drawScanReport',
};

const FORMATS = ['json', 'csv', 'pdf', 'har', 'inspection', 'edpb'] as const;
type Format = (typeof FORMATS)[number];
const CONTENT_TYPES: Partial<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
};
/** Least role for HARs: they show what the site sends in detail. */
const HAR_ROLE: Role = 'editor';

class ScanReportQuery {
  @ApiPropertyOptional({
    enum: FORMATS,
    default: 'json',
    description:
      '`inspection`: inspection.json of the Website Evidence Collector; `edpb`: knowledge bases of the EDPB website auditing tool',
  })
  @IsOptional()
  @IsIn(FORMATS, { message: `format must be one of ${FORMATS.join(', ')}.` })
  format: Format = 'json';

  @ApiPropertyOptional({
    enum: SCAN_STATES,
    default: 'before',
    description: 'Consent state of `har` and `inspection`; the other formats contain all states',
  })
  @IsOptional()
  @IsIn(SCAN_STATES)
  state: ScanState = 'before';

  @ApiPropertyOptional({ enum: REPORT_LANGUAGES, default: 'en', description: 'Language of `pdf`' })
  @IsOptional()
  @IsIn(REPORT_LANGUAGES)
  language: ReportLanguage = 'en';
}

/** The format `json`, shortened; other tools define `har` and `inspection`. */
const REPORT_EXAMPLE = {
  schemaVersion: 1,
  projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
  id: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a44',
  status: 'completed',
  urls: ['https://shop.example/'],
  pagesMax: 100,
  states: [{ state: 'before', status: 'tested', pages: [1] }],
  pageList: [{ number: 1, url: 'https://shop.example/', status: 'visited', httpStatus: 200 }],
  findings: [],
  items: [{ state: 'before', page: 1, number: 1, kind: 'cookie', name: 'session', host: 'shop.example' }],
};

/** Files of a scan, for people and in the formats of other tools (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/scans/:scanId/report')
export class ScanReportController {
  constructor(
    private readonly reports: ScanReportService,
    private readonly pages: ScanReportPages,
    private readonly pdfs: PdfRenderer,
    private readonly files: FileAnswer,
    private readonly access: AccessService,
  ) {}

  /** `csv` and `pdf` require the tier pro or above (403 `tier_required`), `har` the role editor (403 `role_required`). */
  @Get()
  @ProjectRole('viewer')
  @RequireTier(...EXPORT_TIERS)
  // Only CSV and PDF require the tier.
  @LeaveTierToUseCase()
  @ApiOperation({ summary: 'Export a scan' })
  @ApiOkResponse({
    description: 'The file',
    content: {
      'application/json': { schema: {}, example: REPORT_EXAMPLE },
      'text/csv': { schema: { type: 'string' } },
      'application/pdf': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @ApiNotFoundResponse({ description: 'scan_not_found, har_not_found: there is no scan or no HAR.' })
  @ApiConflictResponse({ description: 'scan_without_result: the scan runs, failed or was canceled.' })
  async read(
    @CurrentProject() project: Project,
    @CurrentRole() role: Role,
    @CurrentTierCheck() requireTier: TierCheck,
    @Param('scanId') scanId: string,
    @Query() query: ScanReportQuery,
    @Res() response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    const { format, state } = query;
    if (format === 'csv' || format === 'pdf') requireTier();
    if (format === 'har' && !roleCovers(role, HAR_ROLE))
      throw new DomainError('role_required', `Requires the role ${HAR_ROLE}. Your role is ${role}.`);
    const scan = await this.reports.find(project.id, scanId);
    const file = {
      projectId: project.id,
      accountId: await this.access.accountOf(project.id),
      contentType: CONTENT_TYPES[format] ?? 'application/json; charset=utf-8',
      name: nameOf(scan, format, state),
      open: () => this.open(project.id, scan, query, gone),
    };
    await this.files.send(response, file, gone);
  }

  private async open(
    projectId: string,
    scan: ScanView,
    { format, state, language }: ScanReportQuery,
    gone: AbortSignal,
  ): Promise<NodeJS.ReadableStream> {
    const { reports } = this;
    switch (format) {
      case 'json':
        return Readable.from(reports.json(projectId, scan), { highWaterMark: 2 });
      case 'csv':
        return Readable.from(reports.csv(projectId, scan), { highWaterMark: 2 });
      case 'pdf': {
        const page = await this.pages.collect(projectId, scan, { language, createdAt: new Date() });
        return streamOf(await this.pdfs.render(REPORT_PDF, page, gone));
      }
      case 'har':
        return Readable.from([await reports.har(projectId, scan, state)]);
      case 'inspection':
        return Readable.from([await reports.inspection(projectId, scan, state)]);
      case 'edpb':
        return Readable.from([await reports.knowledgeBases(projectId, scan)]);
    }
  }
}

/** Of a HAR as Chromium names it, of an inspection with its state. */
function nameOf({ id }: ScanView, format: Format, state: ScanState): string {
  switch (format) {
    case 'json':
    case 'csv':
    case 'pdf':
      return `scan-${id}.${format}`;
    case 'har':
      return `scan-${id}-${state}.har`;
    case 'inspection':
      return `inspection-${id}-${state}.json`;
    case 'edpb':
      return `knowledge-bases-${id}.json`;
  }
}
