import { Readable } from 'node:stream';
import { Controller, Get, Query, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import type { Response } from 'express';
import { CurrentActor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { type Actor, nameOf } from '../../access/domain/actor.js';
import { AccessService } from '../../access/access.service.js';
import { EXPORT_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { TimeZoneName } from '../../../platform/http/time-zone.decorator.js';
import { MESSAGE_LANGUAGES, type MessageLanguage } from '../../../platform/messages/messages.js';
import { FileAnswer } from '../../../platform/http/file-answer.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { PdfRenderer } from '../../../platform/pdf/pdf-renderer.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { ConsentExport } from '../application/consent-export.js';
import type { ExportSelection } from '../domain/record-filter.js';
import { ConsentHooks } from '../consent.hooks.js';
import { asBoolean, ConsentFilterQuery } from './consent.dto.js';
import { csvPieces, PROVED_RECORDS_MAX, zipPieces } from './export-files.js';
import { type PdfCover, recordsPdf } from './records-page.js';

const FORMATS = ['csv', 'pdf'] as const;
const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', pdf: 'application/pdf', zip: 'application/zip' };
/** Start of an export without `from`: earlier than any record. */
const EARLIEST = new Date('2000-01-01T00:00:00Z');

/** The filters of the list, combined with AND. */
export class ExportQuery extends ConsentFilterQuery {
  @ApiProperty({ enum: FORMATS })
  @IsIn(FORMATS, { message: 'format must be csv or pdf.' })
  format!: (typeof FORMATS)[number];

  @ApiPropertyOptional({ description: 'CSV with a byte order mark, for spreadsheets', default: false })
  @IsOptional()
  @Transform(asBoolean)
  @IsBoolean({ message: 'bom must be true or false.' })
  bom: boolean = false;

  @ApiPropertyOptional({
    description: `ZIP file with the CSV and a proof for each record (docs/evidence.md); at most ${PROVED_RECORDS_MAX} records. \`1\` means true.`,
    default: false,
  })
  @IsOptional()
  @Transform(({ value }) => (value === '1' ? true : value === '0' ? false : asBoolean({ value })))
  @IsBoolean({ message: 'proofs must be true or false, 1 or 0.' })
  proofs: boolean = false;

  @ApiPropertyOptional({ enum: MESSAGE_LANGUAGES, default: 'en', description: 'Language of the PDF' })
  @IsOptional()
  @IsIn(MESSAGE_LANGUAGES, { message: 'pdfLanguage must be en or de.' })
  pdfLanguage: MessageLanguage = 'en';

  @TimeZoneName('Time zone of the PDF: an IANA name')
  timeZone: string = 'UTC';
}

/** Files of a project's records (spec §8: CSV / PDF export, tier pro and above). */
@ApiTags('Consents')
@Controller('v1/projects/:projectId/consents/export')
export class ExportController {
  constructor(
    private readonly exports: ConsentExport,
    private readonly files: FileAnswer,
    private readonly access: AccessService,
    private readonly pdfs: PdfRenderer,
    private readonly hooks: ConsentHooks,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  /** Streams the file. */
  @Get()
  @ProjectRole('viewer')
  @RequireTier(...EXPORT_TIERS)
  @ApiOperation({ summary: 'Export records as CSV or PDF; tier pro and above' })
  @ApiOkResponse({
    description: 'The file',
    content: {
      'text/csv': { schema: { type: 'string' } },
      'application/pdf': { schema: { type: 'string', format: 'binary' } },
      'application/zip': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @ApiConflictResponse({ description: '`consent_not_sealed`: `proofs` requested while evidence is off' })
  async export(
    @CurrentProject() project: Project,
    @Query() query: ExportQuery,
    @CurrentActor() actor: Actor,
    @Res() response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    const { format, bom, proofs, pdfLanguage, timeZone, ...filter } = query;
    const selection = {
      projectId: project.id,
      ...filter,
      from: query.from ?? EARLIEST,
      to: query.to ?? new Date(),
    };
    if (selection.from >= selection.to)
      throw fieldErrors([
        { field: 'from', message: 'from must be before to.', code: 'end_before_beginning' },
      ]);
    if (proofs && format !== 'csv')
      throw fieldErrors([{ field: 'proofs', message: 'proofs requires format=csv.' }]);
    const name = `consents-${selection.to.toISOString().slice(0, 10)}`;
    const kind = proofs ? 'zip' : format;
    const shown = { language: pdfLanguage, timeZone, madeBy: nameOf(actor) };
    const open = async (): Promise<NodeJS.ReadableStream> => {
      if (kind === 'pdf') return this.pdf(project, selection, filter, shown, gone);
      const pieces =
        kind === 'csv'
          ? csvPieces(await this.exports.begin(selection), { bom })
          : await this.zip(project, selection, { name: `${name}.csv`, bom }, gone);
      return Readable.from(pieces, { highWaterMark: 2 });
    };
    const accountId = await this.access.accountOf(project.id);
    const file = {
      projectId: project.id,
      accountId,
      contentType: CONTENT_TYPES[kind],
      name: `${name}.${kind}`,
      open,
    };
    await this.files.send(response, file, gone);
  }

  private async zip(
    project: Project,
    selection: ExportSelection,
    csv: { name: string; bom: boolean },
    gone: AbortSignal,
  ): Promise<AsyncGenerator<Buffer>> {
    const prover = await this.hooks.current.proverForExport(project.id);
    if (!prover) throw new DomainError('consent_not_sealed', 'Proofs are turned off on this server.');
    const { records } = await this.exports.count(selection, gone);
    if (records > PROVED_RECORDS_MAX) {
      const message = `A file with proofs can contain up to ${PROVED_RECORDS_MAX} records, but ${records} match. Choose a shorter period.`;
      throw fieldErrors([{ field: 'proofs', message }]);
    }
    const cover = { ...project, madeAt: new Date(), serviceUrl: resolveBaseUrl(this.service), csv };
    return zipPieces(cover, await this.exports.begin(selection), prover);
  }

  private async pdf(
    project: Project,
    selection: ExportSelection,
    { from, to: _to, ...filters }: Partial<ConsentFilterQuery>,
    shown: Pick<PdfCover, 'language' | 'timeZone' | 'madeBy'>,
    gone: AbortSignal,
  ): Promise<NodeJS.ReadableStream> {
    const counts = await this.exports.count(selection, gone);
    const cover = {
      ...shown,
      projectName: project.name,
      controller: { name: project.controllerName, contact: project.controllerContact },
      from: from ?? null,
      to: selection.to,
      filters,
      counts,
      records: counts.records,
      madeAt: new Date(),
      ...({ first: 'oldest', whole: 'csv' } as const),
    };
    const batches = await this.exports.begin(selection, { onlyShown: true });
    return recordsPdf(this.pdfs, { cover, batches }, gone);
  }
}
