import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Logger, Query, Res } from '@nestjs/common';
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
import { ExportProgress } from './export-progress.js';
import { csvPieces } from './csv-export.js';
import { drawPdf } from './pdf-export.js';

const FORMATS = ['csv', 'pdf'] as const;
/** Of one kind of event; Node warns of more, and by default of more than ten. */
const RESPONSE_LISTENERS_MAX = 20;
/** Without `from`, everything that is kept. */
const EARLIEST = new Date('2000-01-01T00:00:00Z');

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
  private readonly logger = new Logger(ExportController.name);

  constructor(
    private readonly exports: ConsentExport,
    private readonly progress: ExportProgress,
  ) {}

  /**
   * Streams the file: constant memory, as fast as the client reads, and a client that goes away ends it. What
   * goes wrong after the first byte breaks the connection off, so that half a file is not taken for a whole one.
   */
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
    const release = await this.exports.reserve(project.id, gone);
    const stopWatch = this.progress.watch(response, (why) => {
      this.logger.warn({ projectId: project.id }, `an export was broken off: ${why}`);
      response.destroy();
    });
    try {
      const file =
        format === 'csv' ? this.csv(selection, bom) : await this.pdf(project, selection, filter, gone);
      const day = selection.to.toISOString().slice(0, 10);
      response.setHeader('Content-Type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/pdf');
      response.setHeader('Content-Disposition', `attachment; filename="consents-${day}.${format}"`);
      response.setHeader('Cache-Control', 'no-store');
      // The pipeline listens for the end in several ways, beside the log, the metrics and the watch above.
      response.setMaxListeners(RESPONSE_LISTENERS_MAX);
      await pipeline(file, response);
    } catch (error) {
      if (!response.headersSent) {
        response.removeHeader('Content-Disposition');
        throw error;
      }
      const left = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!left) this.logger.error({ err: error, projectId: project.id }, 'an export broke off');
      response.destroy();
    } finally {
      stopWatch();
      release();
    }
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
