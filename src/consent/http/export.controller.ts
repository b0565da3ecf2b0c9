import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Logger, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import type { Response } from 'express';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { EXPORT_TIERS } from '../../licensing/catalogue.js';
import { RequireTier } from '../../licensing/require-tier.decorator.js';
import { Project } from '../../projects/project.entity.js';
import { fieldErrors } from '../../shared/domain-error.js';
import { IsInstant } from '../../shared/instant.js';
import { ConsentExport, type ExportPeriod } from '../application/consent-export.js';
import { csvPieces } from './csv-export.js';
import { drawPdf } from './pdf-export.js';

const FORMATS = ['csv', 'pdf'] as const;
/** Without `from`, everything that is kept. */
const EARLIEST = new Date('2000-01-01T00:00:00Z');

export class ExportQuery {
  @ApiProperty({ enum: FORMATS })
  @IsIn(FORMATS, { message: 'format must be csv or pdf.' })
  format!: (typeof FORMATS)[number];

  @ApiPropertyOptional({ description: 'Received at or after; the oldest record by default' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ description: 'Received before; now by default' })
  @IsOptional()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional({ description: 'CSV with a byte order mark, for spreadsheets', default: false })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean({ message: 'bom must be true or false.' })
  bom: boolean = false;
}

/** Files of a project's records (spec §8: CSV / PDF export, tier pro and above). */
@ApiTags('consents')
@Controller('v1/projects/:projectId/consents/export')
export class ExportController {
  private readonly logger = new Logger(ExportController.name);

  constructor(private readonly exports: ConsentExport) {}

  /**
   * Streams the file: constant memory, as fast as the client reads, and a client that goes away ends it. What
   * goes wrong after the first byte breaks the connection off, so that half a file is not taken for a whole one.
   */
  @Get()
  @ProjectRole('viewer')
  @RequireTier(...EXPORT_TIERS)
  @ApiOperation({ summary: 'Export records as CSV or PDF; tier pro and above' })
  @ApiProduces('text/csv', 'application/pdf')
  async export(
    @CurrentProject() project: Project,
    @Query() query: ExportQuery,
    @Res() response: Response,
  ): Promise<void> {
    const period = { projectId: project.id, from: query.from ?? EARLIEST, to: query.to ?? new Date() };
    if (period.from >= period.to) throw fieldErrors([{ field: 'from', message: 'from must be before to.' }]);
    const release = this.exports.reserve();
    try {
      const file = query.format === 'csv' ? this.csv(period, query.bom) : await this.pdf(project, period);
      const day = period.to.toISOString().slice(0, 10);
      response.setHeader(
        'Content-Type',
        query.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/pdf',
      );
      response.setHeader('Content-Disposition', `attachment; filename="consents-${day}.${query.format}"`);
      response.setHeader('Cache-Control', 'no-store');
      await pipeline(file, response);
    } catch (error) {
      if (!response.headersSent) {
        response.removeHeader('Content-Disposition');
        throw error;
      }
      const gone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!gone) this.logger.error({ err: error, projectId: project.id }, 'an export broke off');
      response.destroy();
    } finally {
      release();
    }
  }

  private csv(period: ExportPeriod, bom: boolean): NodeJS.ReadableStream {
    return Readable.from(csvPieces(this.exports.batches(period), { bom }), { highWaterMark: 2 });
  }

  private async pdf(project: Project, period: ExportPeriod): Promise<NodeJS.ReadableStream> {
    const records = await this.exports.count(period);
    const cover = {
      projectName: project.name,
      ...period,
      records,
      madeAt: new Date(),
    };
    return drawPdf(cover, this.exports.batches(period));
  }
}
