import {
  Body,
  Controller,
  Get,
  HttpCode,
  Logger,
  Param,
  Post,
  Query,
  Res,
  StreamableFile,
} from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { Response } from 'express';
import { QueryInteger } from '../../../platform/http/integer.decorator.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { ApiProofPending, PROOF_TYPE, sendPending } from '../../../platform/http/proof-pending.js';
import { ApiBodyExample, ApiRefusals } from '../../../platform/openapi/api-description.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import type { ConfigurationChange } from '../../publishing/domain/configuration-changes.js';
import { ScanDraftService } from '../application/scan-draft.service.js';
import { ScanProofService } from '../application/scan-proof.service.js';
import { ScanRequests } from '../application/scan-requests.js';
import { ScanService } from '../application/scan.service.js';
import { PAGES_KNOWN_MAX } from '../domain/scan-limits.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import type { ScanItemView } from '../domain/scan-view.js';
import { ITEM_GROUPS, ITEM_KINDS, type ItemGroup, type ItemKind } from '../domain/scan.js';
import { RequestScanBody, ScanDetailsResponse, ScanResponse, ScansResponse } from './scan.dto.js';

class ScanItemsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ITEM_GROUPS, description: 'Items of one kind; all storages are one' })
  @IsOptional()
  @IsIn(ITEM_GROUPS)
  group?: ItemGroup;
  @ApiPropertyOptional({
    minimum: 1,
    maximum: PAGES_KNOWN_MAX,
    description: 'Items of one page, by its number',
  })
  @IsOptional()
  @QueryInteger({ min: 1, max: PAGES_KNOWN_MAX })
  page?: number;
  @ApiPropertyOptional({ enum: SCAN_STATES, description: 'Items of one consent state' })
  @IsOptional()
  @IsIn(SCAN_STATES)
  state?: ScanState;
}

class ScanItemResponse {
  @ApiProperty({ enum: SCAN_STATES, description: 'Consent state in which it was seen' }) state!: ScanState;
  @ApiProperty({ type: 'integer', description: 'Number of the page', example: 1 }) page!: number;
  @ApiProperty({ type: 'integer', description: 'Unique within the state and page', example: 1 })
  number!: number;
  @ApiProperty({ enum: ITEM_KINDS }) kind!: ItemKind;
  @ApiProperty({
    description:
      'Name of the cookie, entry, database, call or event; path of the request with the names of its query',
    example: '_ga',
  })
  name!: string;
  @ApiProperty({
    description: "Of the cookie's domain, the entry's origin, or the request",
    example: 'shop.example',
  })
  host!: string;
  @ApiProperty({ description: 'Whether it belongs to another site than the page', example: false })
  thirdParty!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Characters of the value' })
  valueLength!: number | null;
  @ApiProperty({ type: String, nullable: true, description: "First digits of the value's SHA-256" })
  valueHash!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Path of the cookie' }) path!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'ISO 8601; null: a session cookie' })
  expiresAt!: string | null;
  @ApiProperty({ type: Boolean, nullable: true }) httpOnly!: boolean | null;
  @ApiProperty({ type: Boolean, nullable: true }) secure!: boolean | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lax' }) sameSite!: string | null;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Whether the cookie is partitioned by site' })
  partitioned!: boolean | null;
  @ApiProperty({ type: String, nullable: true, description: '`response`, `script`; null: not on this page' })
  setBy!: string | null;
  @ApiProperty({ description: 'Whether it was set on this page, and gone at its end', example: false })
  removed!: boolean;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether a request of the page sent the cookie',
  })
  sent!: boolean | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the browser did not store the cookie; null: it was stored',
  })
  blocked!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'GET' }) method!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'image',
    description:
      'Of a request; of a fingerprinting call its technique: `canvas`, `audio`, `webrtc`, `webgl` or `client_hints`',
  })
  type!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Script, response or frame that caused it' })
  initiator!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: "Bytes of the request's body; null: none" })
  bodyBytes!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) httpStatus!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Equal requests of the page' })
  count!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Place among the consent events of the page' })
  order!: number | null;
  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: { type: 'string', enum: ['granted', 'denied'] },
    description: 'What a consent event says of each consent type',
  })
  consent!: Record<string, 'granted' | 'denied'> | null;

  static of({ details, ...item }: ScanItemView): ScanItemResponse {
    const {
      valueLength = null,
      valueHash = null,
      path = null,
      expiresAt = null,
      httpOnly = null,
      secure = null,
      sameSite = null,
      partitioned = null,
      setBy = null,
      removed = false,
      sent = null,
      blocked = null,
      method = null,
      type = null,
      initiator = null,
      bodyBytes = null,
      httpStatus = null,
      count = null,
      order = null,
      consent = null,
    } = details;
    return {
      ...item,
      valueLength,
      valueHash,
      path,
      expiresAt,
      httpOnly,
      secure,
      sameSite,
      partitioned,
      setBy,
      removed,
      sent,
      blocked,
      method,
      type,
      initiator,
      bodyBytes,
      httpStatus,
      count,
      order,
      consent,
    };
  }
}

class ScanItemPageResponse {
  @ApiProperty({ type: [ScanItemResponse] }) items!: ScanItemResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

/** Scans of a project's site: the data that it stores and sends in five consent states (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/scans')
export class ScanController {
  constructor(
    private readonly scans: ScanService,
    private readonly requests: ScanRequests,
  ) {}

  /** `skipStates: ["accept"]` fires none of the site's pixels. 429 after the day's scans of the plan, or the day's scanner time of the account; 503 `scanner_unavailable` where no scanner is running. */
  @Post()
  @ProjectRole('editor')
  @ApiRefusals(429)
  @ApiBodyExample({ urls: ['https://www.example.com/'] })
  @ApiOperation({ summary: 'Scan the site' })
  @ApiCreatedResponse({ type: ScanDetailsResponse })
  @ApiConflictResponse({
    description:
      'scan_running: a scan of this project is running. scan_queue_full: too many scans of the same owner are queued.',
  })
  async request(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() body: RequestScanBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScanDetailsResponse> {
    const id = await this.requests.request({ project, author }, body);
    const scan = await this.scans.read(project.id, id);
    response.setHeader('Location', `/v1/projects/${project.id}/scans/${scan.id}`);
    return ScanDetailsResponse.of(scan);
  }

  /** `allowance` contains the scans that may be requested now. The last 50 scans are kept. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List scans, newest first' })
  @ApiOkResponse({ type: ScansResponse })
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<ScansResponse> {
    const [{ items, nextCursor }, allowance] = await Promise.all([
      this.scans.list(project.id, query),
      this.requests.allowance(project),
    ]);
    return { items: items.map((scan) => ScanResponse.of(scan)), nextCursor, allowance };
  }

  /** While it runs, `pages` shows the progress. */
  @Get(':scanId')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a scan with its pages' })
  @ApiOkResponse({ type: ScanDetailsResponse })
  @ApiNotFoundResponse({ description: 'scan_not_found: scan not found.' })
  async read(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
  ): Promise<ScanDetailsResponse> {
    return ScanDetailsResponse.of(await this.scans.read(project.id, scanId));
  }

  /** Of the first page, at the end of the state. It can show what the page shows to any visitor. */
  @Get(':scanId/states/:state/screenshot')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the screenshot of a consent state' })
  @ApiParam({ name: 'state', enum: SCAN_STATES })
  @ApiProduces('image/jpeg')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  @ApiNotFoundResponse({
    description: 'scan_not_found, screenshot_not_found: there is no scan or no screenshot.',
  })
  async screenshot(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Param('state') state: string,
  ): Promise<StreamableFile> {
    const content = await this.scans.screenshot(project.id, scanId, state);
    return new StreamableFile(content, { type: 'image/jpeg' });
  }

  /** By page. Of values only the length and the beginning of a hash are stored. */
  @Get(':scanId/items')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the cookies, storage entries and requests of a scan' })
  @ApiOkResponse({ type: ScanItemPageResponse })
  @ApiNotFoundResponse({ description: 'scan_not_found: scan not found.' })
  async items(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Query() query: ScanItemsQuery,
  ): Promise<ScanItemPageResponse> {
    const { items, nextCursor } = await this.scans.items(project.id, scanId, query);
    return { items: items.map((item) => ScanItemResponse.of(item)), nextCursor };
  }

  @Post(':scanId/cancel')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Cancel a scan' })
  @ApiOkResponse({ type: ScanDetailsResponse })
  @ApiNotFoundResponse({ description: 'scan_not_found: scan not found.' })
  @ApiConflictResponse({ description: 'scan_ended: the scan has ended.' })
  async cancel(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('scanId') scanId: string,
  ): Promise<ScanDetailsResponse> {
    return ScanDetailsResponse.of(await this.scans.cancel({ projectId: project.id, author }, scanId));
  }
}

class DraftChangeResponse implements ConfigurationChange {
  @ApiProperty({ type: [String], example: ['services', 'Analytics'] }) path!: string[];
  @ApiProperty({ enum: ['added', 'removed', 'changed'] }) kind!: ConfigurationChange['kind'];
  @ApiProperty({ type: String, nullable: true, description: 'Text as is, all other values as JSON' })
  before!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Google Analytics' }) after!: string | null;
}

class ScanDraftResponse {
  @ApiProperty({ type: 'integer', example: 2 }) addedServices!: number;
  @ApiProperty({ type: 'integer', example: 5 }) addedCookies!: number;
  @ApiProperty({ type: 'integer', description: 'Items without a category, which were not added', example: 1 })
  unclassified!: number;
  @ApiProperty({ type: 'integer', description: 'Items that the configuration cannot hold', example: 0 })
  leftOut!: number;
  @ApiProperty({ type: [DraftChangeResponse], description: 'From the saved configuration to the draft' })
  changes!: DraftChangeResponse[];
}

/** The banner's draft from a scan (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/scans/:scanId/draft')
export class ScanDraftController {
  constructor(private readonly drafts: ScanDraftService) {}

  /** Adds classified services and cookies that are not declared yet. Nothing is published. */
  @Post()
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Add what a scan saw to the banner draft' })
  @ApiOkResponse({ type: ScanDraftResponse })
  @ApiNotFoundResponse({ description: 'scan_not_found: scan not found.' })
  @ApiConflictResponse({ description: 'scan_without_result: the scan runs, failed or was canceled.' })
  async create(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('scanId') scanId: string,
  ): Promise<ScanDraftResponse> {
    return this.drafts.create({ projectId: project.id, author }, scanId);
  }
}

/** Proofs of scans in the project's log (docs/evidence.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/scans/:scanId/proof')
export class ScanProofController {
  private readonly logger = new Logger(ScanProofController.name);

  constructor(private readonly proofs: ScanProofService) {}

  /** A file that `verify/verify.cjs` verifies without the service: pages, states, hashes, and the path to a signed checkpoint. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the proof that a scan is unchanged' })
  @ApiProduces('text/plain', 'application/json')
  @ApiOkResponse({
    description: 'c2sp.org/tlog-proof@v1',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiProofPending()
  @ApiNotFoundResponse({ description: 'scan_not_found: scan not found.' })
  @ApiConflictResponse({
    description:
      'scan_without_result: the scan runs, failed or was canceled. scan_not_sealed: it will not be added to the log; `detail` says why',
  })
  async read(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Res() response: Response,
  ): Promise<void> {
    const proof = await orUnavailable(this.logger, 'The log', () => this.proofs.prove(project.id, scanId));
    if (proof)
      response.attachment(`scan-${scanId.toLowerCase()}.tlog-proof`).type(PROOF_TYPE).send(proof.text);
    else sendPending(response);
  }
}
