import { Body, Controller, Get, Headers, Put, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { Response } from 'express';
import { entityTag, IfMatchHeader, requireMatch } from '../../../platform/http/entity-tag.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { SCHEDULED_SCAN_TIERS } from '../../licensing/domain/catalogue.js';
import { LeaveTierToUseCase, RequireTier } from '../../licensing/tier.guard.js';
import type { Project } from '../../projects/domain/project.js';
import { ScanScheduleService, type ScheduleView } from '../application/scan-schedule.service.js';
import {
  INACTIVITY_SENTENCES,
  SCAN_FREQUENCIES,
  type ScanFrequency,
  type ScheduleInactivity,
} from '../domain/scan-schedule.js';

const FREQUENCIES = ['off', ...SCAN_FREQUENCIES] as const;

class SaveScanScheduleBody {
  @ApiProperty({ enum: FREQUENCIES })
  @IsIn(FREQUENCIES)
  frequency!: ScanFrequency | 'off';
}

class ScheduleInactivityResponse {
  @ApiProperty({ enum: Object.keys(INACTIVITY_SENTENCES) }) code!: ScheduleInactivity;
  @ApiProperty({ example: INACTIVITY_SENTENCES.tier }) message!: string;
}

class ScanScheduleResponse {
  @ApiProperty({ enum: FREQUENCIES, example: 'weekly' }) frequency!: ScanFrequency | 'off';
  @ApiProperty({ description: 'Whether scans start as scheduled' }) active!: boolean;
  @ApiProperty({
    type: ScheduleInactivityResponse,
    nullable: true,
    description: 'Why a schedule starts nothing',
    example: null,
  })
  inactiveReason!: ScheduleInactivityResponse | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next scan is due; while another one runs or no scanner does, it waits',
    example: '2026-12-08T03:00:00.000Z',
  })
  nextAt!: Date | null;

  static of({ frequency, inactivity, nextAt }: ScheduleView): ScanScheduleResponse {
    return {
      frequency,
      active: frequency !== 'off' && inactivity === null,
      inactiveReason: inactivity && { code: inactivity, message: INACTIVITY_SENTENCES[inactivity] },
      nextAt,
    };
  }
}

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
  async read(
    @CurrentProject() project: Project,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScanScheduleResponse> {
    return answer(response, await this.schedules.read(project));
  }

  /**
   * The first scan of a new schedule starts within 24 hours. Turning it off needs no tier. 412 `version_conflict` if
   * If-Match names another state.
   */
  @Put()
  @IfMatchHeader()
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
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScanScheduleResponse> {
    const saved = await this.schedules.save({ project, author }, frequency, (stored) =>
      requireMatch(ifMatch, scheduleTag(stored)),
    );
    return answer(response, saved);
  }
}

function answer(response: Response, schedule: ScheduleView): ScanScheduleResponse {
  response.setHeader('ETag', scheduleTag(schedule));
  return ScanScheduleResponse.of(schedule);
}

/** The entity tag of the part that a PUT can change. */
function scheduleTag({ frequency }: Pick<ScheduleView, 'frequency'>): string {
  return entityTag({ frequency });
}

function isTurnedOff(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'frequency' in body && body.frequency === 'off';
}
