import { Body, Controller, Get, HttpCode, Post, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiExcludeController,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/http/public.decorator.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import {
  CurrentActor,
  CurrentProject,
  CurrentRole,
  ProjectRole,
  SessionOnly,
} from '../../access/access.decorators.js';
import { type Actor, requireUser } from '../../access/domain/actor.js';
import type { Role } from '../../access/domain/role.js';
import type { Project } from '../../projects/domain/project.js';
import { ScanAlerts } from '../application/scan-alerts.js';
import {
  UNSUBSCRIBE_LANGUAGES,
  UNSUBSCRIBE_POLICY,
  unsubscribePage,
  type UnsubscribeState,
} from './unsubscribe-page.js';

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

/** The page of the link in alert mails, and what mail clients call for one click (RFC 8058). */
@ApiExcludeController()
@Controller('unsubscribe')
export class UnsubscribePageController {
  constructor(private readonly alerts: ScanAlerts) {}

  /** Changes nothing, because mail scanners open links. */
  @Get()
  @Public()
  async read(
    @Query('token') token: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const project = await this.alerts.projectOf(String(token ?? ''));
    this.send(request, response, project === null ? { kind: 'invalid' } : { kind: 'ask', project });
  }

  /** The body is not read: the token is sufficient. */
  @Post()
  @HttpCode(200)
  @Public()
  async unsubscribe(
    @Query('token') token: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const isDone = await this.alerts.unsubscribe(String(token ?? ''));
    this.send(request, response, { kind: isDone ? 'done' : 'invalid' });
  }

  private send(request: Request, response: Response, state: UnsubscribeState): void {
    const [first] = UNSUBSCRIBE_LANGUAGES;
    const language = request.acceptsLanguages([...UNSUBSCRIBE_LANGUAGES]) || first;
    response
      .status(state.kind === 'invalid' ? 404 : 200)
      .set({
        'Cache-Control': 'no-store',
        'Content-Language': language,
        'Content-Security-Policy': UNSUBSCRIBE_POLICY,
        Vary: 'Accept-Language',
      })
      .type('html')
      .send(unsubscribePage(language === 'de' ? 'de' : 'en', state));
  }
}
