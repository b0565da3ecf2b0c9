import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { FindingService } from '../application/finding.service.js';
import {
  AcceptFindingBody,
  ScanChangesQuery,
  FindingResponse,
  FindingPageResponse,
  FindingsQuery,
  ScanChangesResponse,
  ScanFindingPageResponse,
} from './finding.dto.js';

const NO_SCAN = { description: 'scan_not_found: scan not found.' };
const NO_FINDING = { description: 'finding_not_found: finding not found.' };

/** Findings: what scans observed, the rule that it touches, and how certain that is (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class FindingController {
  constructor(private readonly findings: FindingService) {}

  /** The most certain first. A worker writes them a moment after the scan has ended. */
  @Get('scans/:scanId/findings')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the findings of a scan' })
  @ApiOkResponse({ type: ScanFindingPageResponse })
  @ApiNotFoundResponse(NO_SCAN)
  async ofScan(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Query() query: FindingsQuery,
  ): Promise<ScanFindingPageResponse> {
    return ScanFindingPageResponse.of(await this.findings.ofScan(project.id, scanId, query));
  }

  @Get('scans/:scanId/changes')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Compare a scan with an earlier one' })
  @ApiOkResponse({ type: ScanChangesResponse })
  @ApiNotFoundResponse(NO_SCAN)
  async changes(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Query() { since }: ScanChangesQuery,
  ): Promise<ScanChangesResponse> {
    return ScanChangesResponse.of(await this.findings.changes(project.id, scanId, since));
  }

  /** The most certain first. Without a status all but the fixed ones. */
  @Get('findings')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the current findings of a project' })
  @ApiOkResponse({ type: FindingPageResponse })
  async list(
    @CurrentProject() project: Project,
    @Query() query: FindingsQuery,
  ): Promise<FindingPageResponse> {
    const { items, nextCursor } = await this.findings.list(project.id, query);
    return { items: items.map((finding) => FindingResponse.of(finding)), nextCursor };
  }

  @Post('findings/:findingId/accept')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiBodyExample({ reason: 'The payment provider needs it to prevent fraud.' })
  @ApiOperation({ summary: 'Accept a finding' })
  @ApiOkResponse({ type: FindingResponse })
  @ApiNotFoundResponse(NO_FINDING)
  @ApiConflictResponse({ description: 'finding_fixed: the finding is fixed.' })
  async accept(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('findingId') findingId: string,
    @Body() { reason }: AcceptFindingBody,
  ): Promise<FindingResponse> {
    return FindingResponse.of(
      await this.findings.accept({ projectId: project.id, author }, findingId, reason),
    );
  }

  @Post('findings/:findingId/reopen')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Undo the acceptance of a finding' })
  @ApiOkResponse({ type: FindingResponse })
  @ApiNotFoundResponse(NO_FINDING)
  @ApiConflictResponse({ description: 'finding_not_accepted: the finding is not accepted.' })
  async reopen(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('findingId') findingId: string,
  ): Promise<FindingResponse> {
    return FindingResponse.of(await this.findings.reopen({ projectId: project.id, author }, findingId));
  }
}
