import { Body, Controller, Get, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { ApiBodyExample, ApiRefusals } from '../../../platform/openapi/api-description.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import type { Project } from '../../projects/domain/project.js';
import { ScanRequests } from '../application/scan-requests.js';
import { ScanService } from '../application/scan.service.js';
import { SCAN_STATES } from '../domain/scan-state.js';
import { ScanItemResponse, ScanItemPageResponse, ScanItemsQuery } from './scan-item.dto.js';
import { RequestScanBody, ScanDetailsResponse, ScanResponse, ScansResponse } from './scan.dto.js';

/**
 * Scans of a project's site: the data that it stores and sends in five consent states
 * (docs/scans.md).
 */
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
