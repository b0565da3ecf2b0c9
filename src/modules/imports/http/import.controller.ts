import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiGoneResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiPayloadTooLargeResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import express from 'express';
import type { Request, Response } from 'express';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { toPage } from '../../../platform/export/page.js';
import { CheckedInputPipe } from '../../../platform/http/checked-input.pipe.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { FileAnswer } from '../../../platform/http/file-answer.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { FairSemaphore } from '../../../platform/limits/fair-semaphore.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { RefusedRows } from '../application/import-reader.js';
import { ImportService } from '../application/import.service.js';
import { PART_BYTES } from '../domain/import.js';
import {
  CreateImportBody,
  ImportFileQuery,
  ImportPageResponse,
  ImportResponse,
  StartImportBody,
} from './import.dto.js';

/** Bodies in memory at the same time: in all, and of one account's projects. */
const BODIES = new FairSemaphore({
  permits: 4,
  permitsPerKey: 2,
  noun: 'account',
  waitingPerKeyMax: 10,
  waitMs: 10_000,
  retryAfterSeconds: 2,
});
/** A body of one request that is a whole file. */
const FILE_TYPES = ['text/csv', 'application/x-ndjson'];
const PART_PATH = /^\/v1\/projects\/[^/]+\/imports\/[^/]+\/parts\/[^/]+\/?$/i;
const IMPORTS_PATH = /^\/v1\/projects\/[^/]+\/imports\/?$/i;

/** Whether the route reads its own body, after the caller is known. */
export function isImportBody(request: Request): boolean {
  const path = request.originalUrl.split('?')[0] ?? '';
  if (request.method === 'PUT') return PART_PATH.test(path);
  return request.method === 'POST' && IMPORTS_PATH.test(path) && isFile(request);
}

const isFile = (request: Request): boolean => request.is(FILE_TYPES) !== false;

/** Consents that another product collected, on every tier (docs/import.md). */
@ApiTags('Imports')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/imports')
export class ImportController {
  private readonly checked = new CheckedInputPipe();

  constructor(
    private readonly imports: ImportService,
    private readonly refused: RefusedRows,
    private readonly files: FileAnswer,
    private readonly access: AccessService,
  ) {}

  /** Newest first; kept while their records may be. */
  @Get()
  @ProjectRole('owner')
  @ApiOperation({ summary: 'List imports' })
  @ApiOkResponse({ type: ImportPageResponse })
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<ImportPageResponse> {
    return toPage(
      await this.imports.list(project.id, rowsOf(query)),
      query.limit,
      ({ id }) => id,
      (row) => row,
    );
  }

  /**
   * Upload the parts, and start it. A file of at most 8 MiB can be the body of this request, as `text/csv` or
   * `application/x-ndjson` with `profile` in the query; it is then started at once. 409 `import_in_progress`: the project has an import that has not ended;
   * `import_files_limit_reached`: the files of the account's imports are too large together.
   */
  @Post()
  @ProjectRole('owner')
  @ApiExtraModels(CreateImportBody)
  @ApiBody({ required: true, schema: { $ref: getSchemaPath(CreateImportBody) } })
  @ApiBodyExample({ profile: 'generic', fileName: 'consents-2026.csv', size: 12_582_912 })
  @ApiConflictResponse({ description: '`import_in_progress`, `import_files_limit_reached`' })
  @ApiPayloadTooLargeResponse({ description: '`payload_too_large`: upload the file in parts' })
  @ApiOperation({ summary: 'Create an import' })
  @ApiCreatedResponse({ type: ImportResponse })
  async create(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Query() { profile, dryRun = false }: ImportFileQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<ImportResponse> {
    if (!isFile(request)) {
      const body = (await this.checked.transform(request.body, {
        type: 'body',
        metatype: CreateImportBody,
      })) as CreateImportBody;
      return created(response, project, await this.imports.create(project.id, body, author));
    }
    if (!profile) throw fieldErrors([{ field: 'profile', message: 'profile must be in the query.' }]);
    return this.withBody(project.id, { request, response, gone }, async (bytes) => {
      if (bytes.length === 0) throw fieldErrors([{ field: '', message: 'The file is empty.' }]);
      const fileName = request.is('text/csv') === false ? 'request.ndjson' : 'request.csv';
      const { id } = await this.imports.create(project.id, { profile, fileName, size: bytes.length }, author);
      const ref = { projectId: project.id, id };
      await this.imports.putPart(ref, 1, bytes);
      const started = await this.imports.start(ref, { dryRun, mapping: {}, forward: false }, author);
      return created(response, project, started);
    });
  }

  /** State, counts, the first refused rows, and the result of a dry run. 404 `import_not_found`. */
  @Get(':importId')
  @ProjectRole('owner')
  @ApiOperation({ summary: 'Read an import' })
  @ApiOkResponse({ type: ImportResponse })
  read(@CurrentProject() project: Project, @Param('importId') importId: string): Promise<ImportResponse> {
    return this.imports.read(refOf(project, importId));
  }

  /**
   * Every part but the last has 8 MiB; the order does not matter, and a part can be sent again. 422
   * `validation_failed`: another size; 409 `import_state_conflict`: it was started.
   */
  @Put(':importId/parts/:number')
  @ProjectRole('owner')
  @HttpCode(204)
  @ApiConsumes('application/octet-stream')
  @ApiBody({ required: true, schema: { type: 'string', format: 'binary', example: 'id,givenAt,analytics' } })
  @ApiParam({ name: 'number', schema: { type: 'integer', minimum: 1 } })
  @ApiConflictResponse({ description: '`import_state_conflict`' })
  @ApiGoneResponse({ description: '`import_files_deleted`' })
  @ApiPayloadTooLargeResponse({ description: '`payload_too_large`: more than 8 MiB' })
  @ApiOperation({ summary: 'Upload a part of the file of an import' })
  @ApiNoContentResponse()
  async putPart(
    @CurrentProject() project: Project,
    @Param('importId') importId: string,
    @Param('number') number: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    const ref = refOf(project, importId);
    await this.imports.read(ref);
    await this.withBody(project.id, { request, response, gone }, (bytes) =>
      this.imports.putPart(ref, /^\d{1,6}$/.test(number) ? Number(number) : Number.NaN, bytes),
    );
  }

  /** Also after a dry run; without a body, all members have their defaults. 409 `import_parts_missing`, `import_state_conflict`. */
  @Post(':importId/start')
  @ProjectRole('owner')
  @HttpCode(202)
  @ApiBody({ type: StartImportBody, required: false })
  @ApiBodyExample({ dryRun: true, mapping: { 'Google Analytics': 'analytics' } })
  @ApiConflictResponse({ description: '`import_parts_missing`, `import_state_conflict`' })
  @ApiOperation({ summary: 'Start an import, or a dry run of it' })
  @ApiAcceptedResponse({ type: ImportResponse })
  start(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('importId') importId: string,
    @Body() { dryRun = false, mapping = {}, forward = false }: StartImportBody,
  ): Promise<ImportResponse> {
    return this.imports.start(refOf(project, importId), { dryRun, mapping, forward }, author);
  }

  /** Records that it has stored remain. 409 `import_state_conflict`: it has ended. */
  @Post(':importId/cancel')
  @ProjectRole('owner')
  @HttpCode(200)
  @ApiConflictResponse({ description: '`import_state_conflict`' })
  @ApiOperation({ summary: 'Cancel an import' })
  @ApiOkResponse({ type: ImportResponse })
  cancel(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('importId') importId: string,
  ): Promise<ImportResponse> {
    return this.imports.cancel(refOf(project, importId), author);
  }

  /** CSV with the columns file, row, reason and originalId. 410 `import_files_deleted`: seven days after the end. */
  @Get(':importId/refused-rows')
  @ProjectRole('owner')
  @ApiGoneResponse({ description: '`import_files_deleted`' })
  @ApiOperation({ summary: 'Download the refused rows of an import' })
  @ApiOkResponse({ description: 'The file', content: { 'text/csv': { schema: { type: 'string' } } } })
  async refusedRows(
    @CurrentProject() project: Project,
    @Param('importId') importId: string,
    @Res() response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    const { row, key } = await this.imports.requireFiles(refOf(project, importId));
    const file = {
      projectId: project.id,
      accountId: await this.access.accountOf(project.id),
      contentType: 'text/csv; charset=utf-8',
      name: `refused-rows-${row.id}.csv`,
      open: () => Promise.resolve(Readable.from(this.refused.pieces(row, key), { highWaterMark: 2 })),
    };
    await this.files.send(response, file, gone);
  }

  /** Reads the body of a caller who may send it. @throws the parser's error, which the filter answers */
  private async withBody<T>(
    projectId: string,
    { request, response, gone }: { request: Request; response: Response; gone: AbortSignal },
    use: (bytes: Buffer) => Promise<T>,
  ): Promise<T> {
    const release = await BODIES.acquire(await this.access.accountOf(projectId), gone);
    try {
      const read = express.raw({ limit: PART_BYTES, type: () => true, inflate: false });
      await new Promise<void>((resolve, reject) => {
        read(request, response, (error?: unknown) => {
          if (error === undefined) resolve();
          else reject(error as Error);
        });
      });
      const body: unknown = request.body;
      return await use(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    } finally {
      release();
    }
  }
}

function refOf(project: Project, importId: string): { projectId: string; id: string } {
  return { projectId: project.id, id: importId.toLowerCase() };
}

function created(response: Response, project: Project, view: ImportResponse): ImportResponse {
  response.location(`/v1/projects/${project.id}/imports/${view.id}`);
  return view;
}
