import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { toPage } from '../../../platform/export/page.js';
import { entityTag, IfMatchHeader, requireMatch } from '../../../platform/http/entity-tag.js';
import { rowsOf } from '../../../platform/http/page-query.js';
import { ApiBodyExample, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { EndpointService } from '../application/endpoint.service.js';
import { EndpointActions, EventLogService } from '../application/event-log.service.js';
import type { EndpointView } from '../domain/event-endpoint.js';
import {
  CreatedEventEndpointResponse,
  CreateEventEndpointBody,
  EventAttemptPageResponse,
  EventEndpointPageResponse,
  EventEndpointResponse,
  EventResendResponse,
  EventResponseBodyResponse,
  EventSecretResponse,
  EventSkipResponse,
  EventTestResponse,
  ListEventDeliveriesQuery,
  RecoverEventsBody,
  RecoverEventsResponse,
  UpdateEventEndpointBody,
} from './event-endpoint.dto.js';

/** Endpoints that get a project's events, on every tier (docs/events.md). */
@ApiTags('Events')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/event-endpoints')
export class EventEndpointController {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly log: EventLogService,
    private readonly actions: EndpointActions,
  ) {}

  /** All endpoints, newest first; a project has at most 10. Without secrets. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List event endpoints' })
  @ApiOkResponse({ type: EventEndpointPageResponse })
  async list(@CurrentProject() project: Project): Promise<EventEndpointPageResponse> {
    return { items: await this.endpoints.list(project.id), nextCursor: null };
  }

  /**
   * Returns the signing secret, only here. 422 `validation_failed` for a URL that is not public https or a type that
   * does not exist; 409 `event_endpoint_limit_reached`.
   */
  @Post()
  @ProjectRole('editor')
  @Header('Cache-Control', 'no-store')
  @ApiBodyExample({ url: 'https://hooks.shop.example/events', eventTypes: ['scan.finished', 'tier.changed'] })
  @ApiSuccessHeaders('ETag')
  @ApiConflictResponse({ description: '`event_endpoint_limit_reached`' })
  @ApiOperation({ summary: 'Create an event endpoint' })
  @ApiCreatedResponse({ type: CreatedEventEndpointResponse })
  async create(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body()
    { description = '', enabled = true, keepResponseBodies = false, ...body }: CreateEventEndpointBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedEventEndpointResponse> {
    const settings = { description, enabled, keepResponseBodies, ...body };
    const created = await this.endpoints.create(project.id, settings, author);
    response.location(`/v1/projects/${project.id}/event-endpoints/${created.id}`);
    return tagged(response, created);
  }

  /** 404 `event_endpoint_not_found`. The ETag changes with what members edit, not with the state of the receiver. */
  @Get(':endpointId')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read an event endpoint' })
  @ApiOkResponse({ type: EventEndpointResponse })
  async read(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventEndpointResponse> {
    return tagged(response, await this.endpoints.read(refOf(project, endpointId)));
  }

  /**
   * Changes the given members. Disabling keeps waiting events for 72 hours; enabling forgets failures, and `recover`
   * sends the missed events. 412 `version_conflict` if If-Match names another version.
   */
  @Patch(':endpointId')
  @IfMatchHeader()
  @ProjectRole('editor')
  @ApiBodyExample({ enabled: false })
  @ApiSuccessHeaders('ETag')
  @ApiOperation({ summary: 'Change an event endpoint' })
  @ApiOkResponse({ type: EventEndpointResponse })
  async update(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @CurrentAuthor() author: Author,
    @Body() body: UpdateEventEndpointBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventEndpointResponse> {
    const check = (stored: EndpointView): void => requireMatch(ifMatch, tagOf(stored));
    const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    return tagged(
      response,
      await this.endpoints.update(refOf(project, endpointId), change, { author, check }),
    );
  }

  /** With its deliveries; waiting events are not sent. The events stay in the log of the project. */
  @Delete(':endpointId')
  @HttpCode(204)
  @IfMatchHeader()
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Delete an event endpoint' })
  @ApiNoContentResponse()
  async remove(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @CurrentAuthor() author: Author,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    const check = (stored: EndpointView): void => requireMatch(ifMatch, tagOf(stored));
    await this.endpoints.remove(refOf(project, endpointId), { author, check });
  }

  /** Returns the new secret, only here. The former one also signs for 24 hours, so that the receiver can switch. */
  @Post(':endpointId/rotate-secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Rotate the signing secret of an event endpoint' })
  @ApiOkResponse({ type: EventSecretResponse })
  rotateSecret(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @CurrentAuthor() author: Author,
  ): Promise<EventSecretResponse> {
    return this.endpoints.rotateSecret(refOf(project, endpointId), author, new Date());
  }

  /** 204 also without a former secret. */
  @Delete(':endpointId/former-secret')
  @HttpCode(204)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Retire the former signing secret of an event endpoint' })
  @ApiNoContentResponse()
  async forgetFormerSecret(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @CurrentAuthor() author: Author,
  ): Promise<void> {
    await this.endpoints.forgetFormerSecret(refOf(project, endpointId), author);
  }

  /** Attempts, and events that expired or were skipped, newest first; kept 30 days. */
  @Get(':endpointId/deliveries')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the deliveries of an event endpoint' })
  @ApiOkResponse({ type: EventAttemptPageResponse })
  async deliveries(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @Query() query: ListEventDeliveriesQuery,
  ): Promise<EventAttemptPageResponse> {
    const { outcome, eventId } = query;
    const filter = { outcome, eventId, ...rowsOf(query) };
    const rows = await this.log.deliveries(refOf(project, endpointId), filter);
    return toPage(
      rows,
      query.limit,
      ({ id }) => id,
      (row) => row,
    );
  }

  /** The response may repeat the request, so viewers cannot read it. 404 `delivery_not_found`. */
  @Get(':endpointId/deliveries/:deliveryId/response-body')
  @Header('Cache-Control', 'no-store')
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Read the stored response body of a failed attempt of an event' })
  @ApiOkResponse({ type: EventResponseBodyResponse })
  async responseBody(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<EventResponseBodyResponse> {
    return { responseBody: await this.log.responseBody(refOf(project, endpointId), deliveryId) };
  }

  /** Also for a delivered event. 404 `event_not_found`; 409 `event_endpoint_disabled`. */
  @Post(':endpointId/deliveries/:eventId/resend')
  @HttpCode(202)
  @ProjectRole('editor')
  @ApiConflictResponse({ description: '`event_endpoint_disabled`' })
  @ApiOperation({ summary: 'Resend one event to an endpoint' })
  @ApiAcceptedResponse({ type: EventResendResponse })
  async resend(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @Param('eventId') eventId: string,
    @CurrentAuthor() author: Author,
  ): Promise<EventResendResponse> {
    return { queued: await this.actions.resend(refOf(project, endpointId), eventId, author) };
  }

  /** An event that is not pending does not change. 404 `event_not_found`. */
  @Post(':endpointId/deliveries/:eventId/skip')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Skip one waiting event of an endpoint' })
  @ApiOkResponse({ type: EventSkipResponse })
  async skip(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @Param('eventId') eventId: string,
    @CurrentAuthor() author: Author,
  ): Promise<EventSkipResponse> {
    return { skipped: await this.actions.skip(refOf(project, endpointId), eventId, author) };
  }

  /** Sends the oldest waiting event of a held endpoint now: a success ends the hold. Returns the endpoint. */
  @Post(':endpointId/resume')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiSuccessHeaders('ETag')
  @ApiOperation({ summary: 'Probe a held event endpoint now' })
  @ApiOkResponse({ type: EventEndpointResponse })
  async resume(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @CurrentAuthor() author: Author,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventEndpointResponse> {
    const ref = refOf(project, endpointId);
    await this.actions.resume(ref, author);
    return tagged(response, await this.endpoints.read(ref));
  }

  /** Failed events, and those written while it was disabled; at most 14 days and 10,000 events at once. */
  @Post(':endpointId/recover')
  @HttpCode(202)
  @ProjectRole('editor')
  @ApiBodyExample({ since: '2026-11-25T00:00:00Z' })
  @ApiConflictResponse({ description: '`event_endpoint_disabled`' })
  @ApiOperation({ summary: 'Send the events that an endpoint missed' })
  @ApiAcceptedResponse({ type: RecoverEventsResponse })
  recover(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
    @CurrentAuthor() author: Author,
    @Body() { since }: RecoverEventsBody,
  ): Promise<RecoverEventsResponse> {
    return this.actions.recover(refOf(project, endpointId), { since, now: new Date() }, author);
  }

  /** 200 also if the endpoint refused: the body has the outcome. Works while it is disabled. 429 if called too often. */
  @Post(':endpointId/test')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Send a test.ping to an event endpoint' })
  @ApiOkResponse({ type: EventTestResponse })
  test(
    @CurrentProject() project: Project,
    @Param('endpointId') endpointId: string,
  ): Promise<EventTestResponse> {
    return this.actions.test(refOf(project, endpointId));
  }
}

function refOf(project: Project, endpointId: string): { projectId: string; id: string } {
  return { projectId: project.id, id: endpointId.toLowerCase() };
}

function tagged<View extends EndpointView>(response: Response, view: View): View {
  response.setHeader('ETag', tagOf(view));
  return view;
}

/** The entity tag of what members edit. */
function tagOf({ url, description, eventTypes, enabled, keepResponseBodies }: EndpointView): string {
  return entityTag({ url, description, eventTypes, enabled, keepResponseBodies });
}
