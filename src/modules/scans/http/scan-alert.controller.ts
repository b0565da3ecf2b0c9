import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import {
  CurrentActor,
  CurrentProject,
  CurrentRole,
  ProjectRole,
  SessionOnly,
} from '../../access/access.decorators.js';
import { type Actor, requireUser } from '../../access/domain/actor.js';
import type { Role } from '../../access/domain/role.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { ScanAlerts } from '../application/scan-alerts.js';

class ScanAlertsBody {
  @ApiProperty({ description: 'Whether you get mails about what scans of this project find' })
  @IsBoolean()
  enabled!: boolean;
}

/** Mails about what scans find, for each member (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/scan-alerts')
export class ScanAlertController {
  constructor(private readonly alerts: ScanAlerts) {}

  /** Owners get them until they turn them off. Takes a session: an API key gets 403 `session_required`. */
  @Get()
  @ProjectRole('viewer')
  @SessionOnly()
  @ApiOperation({ summary: 'Read whether you get mails about scans' })
  @ApiOkResponse({ type: ScanAlertsBody })
  async read(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @CurrentRole() role: Role,
  ): Promise<ScanAlertsBody> {
    const { userId } = requireUser(actor);
    return { enabled: await this.alerts.read({ projectId: project.id, userId }, role) };
  }

  @Put()
  @ProjectRole('viewer')
  @SessionOnly()
  @ApiBodyExample({ enabled: true })
  @ApiOperation({ summary: 'Change whether you get mails about scans' })
  @ApiOkResponse({ type: ScanAlertsBody })
  async save(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() { enabled }: ScanAlertsBody,
  ): Promise<ScanAlertsBody> {
    await this.alerts.save({ projectId: project.id, userId: requireUser(actor).userId }, enabled);
    return { enabled };
  }
}
