import { Readable } from 'node:stream';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiConflictResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { entityTag, IfMatchHeader, requireMatch } from '../../../platform/http/entity-tag.js';
import { PdfRenderer } from '../../../platform/pdf/pdf-renderer.js';
import { FileAnswer } from '../../../platform/http/file-answer.js';
import { ApiBodyExample, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import { CurrentActor, CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import { type Actor, nameOf } from '../../access/domain/actor.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { ConsentReader, type ConsentItem } from '../application/consent.reader.js';
import { ErasureService } from '../application/erasure.service.js';
import {
  PrivacySettingsService,
  type PrivacySettings,
  type PrivacyState,
} from '../application/privacy-settings.service.js';
import type { ExportRow } from '../domain/record-filter.js';
import {
  EraseVisitorBody,
  ErasureResponse,
  PrivacySettingsBody,
  PrivacyStateResponse,
  VisitorFileResponse,
  VisitorRecordsQuery,
} from './privacy.dto.js';
import { type PdfCover, recordsPdf } from './records-page.js';

/** Settings for finding and erasing the records of one visitor. */
@ApiTags('Privacy')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class PrivacyController {
  constructor(
    private readonly settings: PrivacySettingsService,
    private readonly erasures: ErasureService,
    private readonly reader: ConsentReader,
    private readonly files: FileAnswer,
    private readonly access: AccessService,
    private readonly pdfs: PdfRenderer,
  ) {}

  @Get('privacy')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the privacy settings' })
  @ApiOkResponse({ type: PrivacyStateResponse })
  async read(
    @CurrentProject() project: Project,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PrivacyStateResponse> {
    return answer(response, await this.settings.read(project.id));
  }

  /**
   * Applies to new records at once. A worker updates the stored ones: `indexing` is true until it
   * has finished. With hashing on, they lose the value too; when it is turned off again, they keep
   * the hash. 412 `version_conflict` if If-Match names another version.
   */
  @Put('privacy')
  @IfMatchHeader()
  @ProjectRole('owner')
  @ApiBodyExample({ visitorReferenceField: 'customerId', visitorReferenceHashed: true })
  @ApiOperation({ summary: 'Change the privacy settings' })
  @ApiOkResponse({ type: PrivacyStateResponse })
  async save(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() body: PrivacySettingsBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PrivacyStateResponse> {
    const saved = await this.settings.save(project.id, body, author, (stored) =>
      requireMatch(ifMatch, tagOf(stored)),
    );
    return answer(response, saved);
  }

  /**
   * A file with everything stored about a visitor, to be handed to them; on every tier. The PDF
   * shows the newest 5,000 records without additional fields; the JSON is complete.
   */
  @Get('visitor-records')
  @ProjectRole('viewer')
  @ApiOperation({ summary: "Download a visitor's records" })
  @ApiExtraModels(VisitorFileResponse)
  @ApiOkResponse({
    description: 'The file',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(VisitorFileResponse) } },
      'application/pdf': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @ApiConflictResponse({ description: '`visitor_reference_not_configured`, `visitor_index_under_way`' })
  async file(
    @CurrentProject() project: Project,
    @Query() { visitorReference, format, language, timeZone }: VisitorRecordsQuery,
    @CurrentActor() actor: Actor,
    @Res() response: Response,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<void> {
    const hash = await this.erasures.hashOf(project.id, visitorReference);
    if ((await this.settings.read(project.id)).indexing) throw notWhole();
    const madeAt = new Date();
    const head = { projectId: project.id, projectName: project.name, madeAt };
    const open = async (): Promise<NodeJS.ReadableStream> => {
      const batches = this.reader.ofVisitor(project.id, hash, gone);
      if (format === 'json') return Readable.from(jsonPieces(head, batches), { highWaterMark: 2 });
      const records = await this.reader.countOfVisitor(project.id, hash, gone);
      const cover: PdfCover = {
        projectName: project.name,
        controller: { name: project.controllerName, contact: project.controllerContact },
        from: null,
        to: madeAt,
        filters: { oneVisitor: true },
        counts: null,
        records,
        madeAt,
        madeBy: nameOf(actor),
        first: 'newest',
        whole: 'json',
        language,
        timeZone,
      };
      return recordsPdf(this.pdfs, { cover, batches: visitorRows(batches) }, gone);
    };
    const contentType = format === 'json' ? 'application/json; charset=utf-8' : 'application/pdf';
    const name = `visitor-${madeAt.toISOString().slice(0, 10)}.${format}`;
    const accountId = await this.access.accountOf(project.id);
    await this.files.send(response, { projectId: project.id, accountId, contentType, name, open }, gone);
  }

  /**
   * Erases every record of a visitor received so far, with deliveries and queued messages: by
   * visitor reference, or by the visitor key of one of the records. Up to 500 are erased before the
   * response; of more, `finishedAt` is null until a worker has erased the rest. After that, only a
   * worker that had claimed a record before can still send it. It can't be undone.
   */
  @Post('erasures')
  @HttpCode(202)
  @ProjectRole('owner')
  @ApiBodyExample({ visitorReference: 'customer-42', reason: 'Request of 2026-11-20, ticket 4711' })
  @ApiSuccessHeaders('Location')
  @ApiOperation({ summary: "Erase a visitor's records" })
  @ApiAcceptedResponse({ type: ErasureResponse })
  @ApiConflictResponse({ description: '`visitor_reference_not_configured`, `visitor_key_missing`' })
  async erase(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() body: EraseVisitorBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ErasureResponse> {
    const erasure = await this.requestOf(project.id, body, author);
    response.location(`/v1/projects/${project.id}/erasures/${erasure.id}`);
    return erasure;
  }

  private requestOf(
    projectId: string,
    { visitorReference, consentId, reason }: EraseVisitorBody,
    author: Author,
  ): Promise<ErasureResponse> {
    if (consentId === undefined)
      return this.erasures.eraseVisitor(projectId, visitorReference as string, reason, author);
    if (visitorReference === undefined)
      return this.erasures.eraseVisitorOf({ projectId, consentId }, reason, author);
    throw fieldErrors([
      { field: 'consentId', message: 'Send either visitorReference or consentId, not both.' },
    ]);
  }

  @Get('erasures/:erasureId')
  @ProjectRole('owner')
  @ApiOperation({ summary: 'Read the progress of an erasure' })
  @ApiOkResponse({ type: ErasureResponse })
  one(@CurrentProject() project: Project, @Param('erasureId') erasureId: string): Promise<ErasureResponse> {
    return this.erasures.read(project.id, erasureId);
  }
}

/** A visitor's file must be complete. */
function notWhole(): DomainError {
  return new DomainError(
    'visitor_index_under_way',
    'Stored records are still being indexed by visitor. Try again later.',
  );
}

/** The settings, with an ETag for the part that a PUT can change. */
function answer(response: Response, state: PrivacyState): PrivacyStateResponse {
  response.setHeader('ETag', tagOf(state));
  return state;
}

function tagOf({ visitorReferenceField, visitorReferenceHashed }: PrivacySettings): string {
  return entityTag({ visitorReferenceField, visitorReferenceHashed });
}

/** The part of a visitor's file before their records. */
interface VisitorFileHead {
  projectId: string;
  projectName: string;
  madeAt: Date;
}

/** One JSON document, piece by piece, with the records as the API shows them. */
async function* jsonPieces(
  head: VisitorFileHead,
  batches: AsyncIterable<ConsentItem[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"records":[`;
  let separator = '';
  for await (const items of batches) {
    yield separator + items.map((item) => JSON.stringify(item)).join(',');
    separator = ',';
  }
  yield ']}\n';
}

/** The same records as the rows of an export. */
async function* visitorRows(batches: AsyncIterable<ConsentItem[]>): AsyncGenerator<ExportRow[]> {
  for await (const items of batches) yield items.map(toExportRow);
}

function toExportRow(item: ConsentItem): ExportRow {
  const { id, receivedAt, analytics, marketing, preferences, action, hostname } = item;
  const flags = [analytics, marketing, preferences].map(String);
  const shown = [hostname, item.configHash, item.language, item.surface].map((text) => text ?? '');
  const services = item.services === null ? '' : JSON.stringify(item.services);
  return [
    id,
    receivedAt.toISOString(),
    ...flags,
    action,
    ...shown,
    JSON.stringify(item.additionalFields),
    services,
  ];
}
