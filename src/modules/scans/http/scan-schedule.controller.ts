import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { SCHEDULED_SCAN_TIERS } from '../../licensing/domain/catalogue.js';
import { LeaveTierToUseCase, RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import { ScanScheduleService } from '../application/scan-schedule.service.js';
import { SaveScanScheduleBody, ScanScheduleResponse } from './scan-schedule.dto.js';

/** When the project's site is scanned without a request (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/scan-schedule')
export class ScanScheduleController {
  constructor(private readonly schedules: ScanScheduleService) {}

  /** On every tier. A project that loses the tier keeps its schedule: `active` is false until it has the tier again. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the schedule of scans' })
  @ApiOkResponse({ type: ScanScheduleResponse })
  async read(@CurrentProject() project: Project): Promise<ScanScheduleResponse> {
    return ScanScheduleResponse.of(await this.schedules.read(project));
  }

  /** The first scan of a new schedule starts within 24 hours. Turning it off needs no tier. */
  @Put()
  @ProjectRole('editor')
  @RequireTier(...SCHEDULED_SCAN_TIERS)
  // Every tier may turn the schedule off; the guard refuses the rest.
  @LeaveTierToUseCase(isTurnedOff)
  @ApiBodyExample({ frequency: 'weekly' })
  @ApiOperation({ summary: 'Save the schedule of scans' })
  @ApiOkResponse({ type: ScanScheduleResponse })
  async save(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() { frequency }: SaveScanScheduleBody,
  ): Promise<ScanScheduleResponse> {
    return ScanScheduleResponse.of(await this.schedules.save({ project, author }, frequency));
  }
}

function isTurnedOff(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'frequency' in body && body.frequency === 'off';
}
