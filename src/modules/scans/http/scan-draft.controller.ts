import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import type { ConfigurationChange } from '../../publishing/domain/configuration-changes.js';
import { ScanDraftService } from '../application/scan-draft.service.js';

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
