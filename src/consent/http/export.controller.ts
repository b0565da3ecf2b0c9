import { Readable } from 'node:stream';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import type { Response } from 'express';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { EXPORT_TIERS } from '../../licensing/domain/catalogue.js';
import { RequireTier } from '../../licensing/require-tier.decorator.js';
import type { Project } from '../../projects/domain/project.js';
import { fieldErrors } from '../../shared/domain-error.js';
import { GoneSignal } from '../../shared/client-gone.js';
import { ConsentExport, type ExportSelection } from '../application/consent-export.js';
import type { RecordFilter } from '../application/record-filter.js';
import { asBoolean, ConsentFilterQuery } from './consent.dto.js';
import { FileAnswer } from './file-answer.js';
import { csvPieces } from './csv-export.js';
import { drawPdf } from './pdf-export.js';

const FORMATS = ['csv', 'pdf'] as const;
/** Without `from`, everything that is kept. */
export const EARLIEST = new Date('2000-01-01T00:00:00Z');

/** Filters as those of the list; all that are given must hold. */
export class ExportQuery extends ConsentFilterQuery {
  @ApiProperty({ enum: FORMATS })
  @IsIn(FORMATS, { message: 'format must be csv or pdf.' })
  format!: (typeof FORMATS)[number];

  @ApiPropertyOptional({ description: 'CSV with a byte order mark, for spreadsheets', default: false })
  @IsOptional()
  @Transform(asBoolean)
  @IsBoolean({ message: 'bom must be true or false.' })
  bom: boolean = false;
}

/** Files of a project's records (spec §8: CSV / PDF export, tier pro and above). */
@ApiTags('Consents')
@Controller('v1/projects/:projectId/consents/export')
export class ExportController {
  constructor(
    private readonly exports: ConsentExport,
    private readonly files: FileAnswer,
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
    },
  })
  async export(
    @CurrentProject() project: Project,
    @Query() query: ExportQuery,
    @Res() response: Response,
    @GoneSignal() gone: AbortSignal,
  ): Promise<void> {
    const { format, bom, ...filter } = query;
    const selection = {
      projectId: project.id,
      ...filter,
      from: query.from ?? EARLIEST,
      to: query.to ?? new Date(),
    };
    if (selection.from >= selection.to)
      throw fieldErrors([{ field: 'from', message: 'from must be before to.' }]);
    const day = selection.to.toISOString().slice(0, 10);
    const file = {
      projectId: project.id,
      contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/pdf',
      name: `consents-${day}.${format}`,
      open: async () =>
        format === 'csv' ? this.csv(selection, bom) : this.pdf(project, selection, filter, gone),
    };
    await this.files.send(response, file, gone);
  }

  private csv(selection: ExportSelection, bom: boolean): NodeJS.ReadableStream {
    return Readable.from(csvPieces(this.exports.batches(selection), { bom }), { highWaterMark: 2 });
  }

  private async pdf(
    project: Project,
    selection: ExportSelection,
    filter: Partial<RecordFilter>,
    gone: AbortSignal,
  ): Promise<NodeJS.ReadableStream> {
    const cover = {
      ...selection,
      projectName: project.name,
      filters: filtersInWords(filter),
      records: await this.exports.count(selection, gone),
      madeAt: new Date(),
      ...({ first: 'oldest', whole: 'csv' } as const),
    };
    return drawPdf(cover, this.exports.batches(selection));
  }
}

/** The filters beside the period, e.g. `action accept_all, analytics yes`. */
function filtersInWords({ from: _from, to: _to, ...filters }: Partial<RecordFilter>): string {
  const words = Object.entries(filters).map(
    ([name, value]) => `${name} ${value === true ? 'yes' : value === false ? 'no' : value}`,
  );
  return words.length === 0 ? 'none' : words.join(', ');
}
