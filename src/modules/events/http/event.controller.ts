import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import { toPage } from '../../../platform/export/page.js';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { DisconnectSignal } from '../../../platform/http/client-disconnected.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { UUID } from '../../../platform/identity/ids.js';
import { QueryInteger } from '../../../platform/http/integer.decorator.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { ApiBodyExample, ApiNoDatabase } from '../../../platform/openapi/api-description.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Project } from '../../projects/domain/project.js';
import { EventLogService } from '../application/event-log.service.js';
import { WAIT_SECONDS_MAX } from '../application/event-waits.js';
import { catalogue, type CatalogueEntry, EVENT_TYPE_NAMES, type EventTypeName } from '../domain/catalogue.js';
import { EVENT_DELIVERY_STATES, type EventDeliveryState } from '../domain/event-endpoint.js';

class ListEventsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: EVENT_TYPE_NAMES })
  @IsOptional()
  @IsIn(EVENT_TYPE_NAMES)
  type?: EventTypeName;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Inclusive.' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Exclusive.' })
  @IsOptional()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional({
    format: 'uuid',
    description:
      'Id of an event: lists the events after it, oldest first. Not with `cursor`, `from` or `to`.',
  })
  @IsOptional()
  @Matches(UUID, { message: 'after must be the id of an event.' })
  after?: string;

  @ApiPropertyOptional({
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    default: 0,
    description: 'With `after`: if there is no event, waits for one up to this long',
  })
  @IsOptional()
  @QueryInteger({ min: 0, max: WAIT_SECONDS_MAX })
  waitSeconds: number = 0;

  @ApiPropertyOptional({
    default: false,
    description: 'With `after`: whether events of `POST …/events/trigger` are listed, too',
  })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean({ message: 'test must be true or false.' })
  test: boolean = false;
}

class TriggerEventBody {
  @ApiProperty({ enum: EVENT_TYPE_NAMES })
  @IsIn(EVENT_TYPE_NAMES)
  type!: EventTypeName;
}

const data = {
  type: 'object',
  additionalProperties: true,
  description: 'By type (`GET /v1/event-types`); always with `projectId`, `id` and `url`',
} as const;

class EventResponse {
  @ApiProperty({ format: 'uuid', description: '`webhook-id` of its requests' }) id!: string;
  @ApiProperty({ enum: EVENT_TYPE_NAMES, example: 'scan.finished' }) type!: EventTypeName;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:30:00.000Z' }) timestamp!: string;
  @ApiProperty({
    ...data,
    example: {
      projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
      id: '01938c5e-7a3b-7c11-9f00-4d2a6b8c0e13',
      url: 'https://consent.example.com/v1/projects/01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f/scans/01938c5e-7a3b-7c11-9f00-4d2a6b8c0e13',
    },
  })
  data!: Record<string, unknown>;
  @ApiProperty({ description: 'Created by `POST …/events/trigger`', example: false }) test!: boolean;
}

class EventPageResponse {
  @ApiProperty({ type: [EventResponse] }) items!: EventResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

class EventDeliveryResponse {
  @ApiProperty({ format: 'uuid' }) endpointId!: string;
  @ApiProperty({ enum: EVENT_DELIVERY_STATES, example: 'delivered' }) state!: EventDeliveryState;
  @ApiProperty({ type: 'integer', example: 1 }) attempts!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it is tried next, at the earliest; null: it is not pending',
  })
  nextAttemptAt!: Date | null;
}

class EventDetailsResponse extends EventResponse {
  @ApiProperty({ type: [EventDeliveryResponse], description: 'One for each endpoint that the event is for' })
  deliveries!: EventDeliveryResponse[];
}

class EventTypeResponse {
  @ApiProperty({ enum: EVENT_TYPE_NAMES, example: 'scan.finished' }) type!: EventTypeName;
  @ApiProperty({ description: 'The part of the name before the dot', example: 'scan' }) group!: string;
  @ApiProperty({ example: 'A scan has ended, and its findings are known.' }) summary!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema (2020-12) of the body of the request',
    example: { title: 'scan.finished', type: 'object' },
  })
  schema!: Record<string, unknown>;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'An example of the body',
    example: { type: 'scan.finished' },
  })
  example!: Record<string, unknown>;
}

class EventTypesResponse {
  @ApiProperty({ type: [EventTypeResponse] }) items!: EventTypeResponse[];
}

/** The events of a project, kept 30 days. */
@ApiTags('Events')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/events')
export class EventController {
  constructor(private readonly log: EventLogService) {}

  /**
   * Newest first, whether an endpoint lists their type or not. With `after`, the events after that one, oldest first:
   * an event is listed once it is a second old. `waitSeconds` makes it a long poll: 429 if too many requests of the
   * account wait, 503 `overloaded` if too many wait in all.
   */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List events' })
  @ApiOkResponse({ type: EventPageResponse })
  async list(
    @CurrentProject() project: Project,
    @Query() query: ListEventsQuery,
    @DisconnectSignal() gone: AbortSignal,
  ): Promise<EventPageResponse> {
    const { type, from, to, after, waitSeconds, test, limit } = query;
    if (after !== undefined) {
      refuseBeside(query);
      const position = { projectId: project.id, after, type: type ?? null, test };
      return {
        items: await this.log.listAfter(position, { limit, waitSeconds, gone }),
        nextCursor: null,
      };
    }
    const events = await this.log.list(project.id, { type, from, to, ...rowsOf(query) });
    return toPage(
      events,
      limit,
      ({ id }) => id,
      (event) => event,
    );
  }

  /**
   * Creates the catalogue's example of a type as an event, marked with `test`. No event endpoint gets it, and lists
   * leave it out: only requests with `after` and `test=true` receive it, such as those of `consent listen`. 429 after 60
   * a minute.
   */
  @Post('trigger')
  @ProjectRole('editor')
  @ApiBodyExample({ type: 'scan.finished' })
  @ApiOperation({ summary: 'Trigger an example event' })
  @ApiCreatedResponse({ type: EventResponse })
  async trigger(
    @CurrentProject() project: Project,
    @Body() { type }: TriggerEventBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventResponse> {
    const event = await this.log.trigger(project.id, type);
    response.location(`/v1/projects/${project.id}/events/${event.id}`);
    return event;
  }

  /** 404 `event_not_found`. */
  @Get(':eventId')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read an event and the state of its deliveries' })
  @ApiOkResponse({ type: EventDetailsResponse })
  read(@CurrentProject() project: Project, @Param('eventId') eventId: string): Promise<EventDetailsResponse> {
    return this.log.read({ projectId: project.id, id: eventId.toLowerCase() });
  }
}

/** @throws DomainError `validation_failed`. */
function refuseBeside(query: ListEventsQuery): void {
  const given = (['cursor', 'from', 'to'] as const).filter((name) => query[name] !== undefined);
  if (given.length > 0)
    throw fieldErrors(given.map((field) => ({ field, message: `${field} cannot be combined with after.` })));
}

/** The catalogue of event types. */
@ApiTags('Events')
@Controller('v1/event-types')
export class EventTypeController {
  private readonly types: CatalogueEntry[];

  constructor(@InjectSettings(serviceSettings) service: ServiceSettings) {
    this.types = catalogue(resolveBaseUrl(service));
  }

  /** Every type, with the JSON Schema and an example of its request. Needs no credentials. */
  @Get()
  @Public()
  @ApiNoDatabase()
  @ApiOperation({ summary: 'List event types' })
  @ApiOkResponse({ type: EventTypesResponse })
  list(): EventTypesResponse {
    return { items: this.types };
  }
}
