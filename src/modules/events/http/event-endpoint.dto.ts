import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayUnique, IsBoolean, IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import {
  ENDPOINT_URL_CHARACTERS_MAX,
  ENDPOINT_URL_PATTERN,
} from '../../../platform/delivery/domain/endpoint-policy.js';
import { FAILURE_CATEGORIES } from '../../../platform/delivery/domain/outcome.js';
import { RESPONSE_BODY_STORED_BYTES } from '../../../platform/delivery/domain/response-body.js';
import { ListOf } from '../../../platform/http/body-shape.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { EVENT_TYPE_NAMES, type EventTypeName } from '../domain/catalogue.js';
import {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  EVENT_DELIVERY_STATES,
  type EventDeliveryState,
  ENDPOINT_DESCRIPTION_CHARACTERS_MAX,
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATES,
  type EndpointState,
  EXPIRED,
  WAITING_COUNTED_MAX,
} from '../domain/event-endpoint.js';

const instant = { type: String, format: 'date-time', nullable: true } as const;

const url = {
  maxLength: ENDPOINT_URL_CHARACTERS_MAX,
  pattern: ENDPOINT_URL_PATTERN,
  description: 'https only, on a public host, without user name or fragment.',
  example: 'https://hooks.shop.example/events',
};
const eventTypes = {
  enum: EVENT_TYPE_NAMES,
  isArray: true,
  minItems: 1,
  uniqueItems: true,
  description: 'The types to send, one by one (`GET /v1/event-types`).',
};
const EventTypes = (): PropertyDecorator =>
  applyDecorators(
    ListOf({ min: 1, max: EVENT_TYPE_NAMES.length }),
    IsIn(EVENT_TYPE_NAMES, { each: true }),
    ArrayUnique(),
  );

/** The members that a create and a change have alike. */
class EventEndpointOptionsBody {
  @ApiPropertyOptional({ maxLength: ENDPOINT_DESCRIPTION_CHARACTERS_MAX, default: '' })
  @IfGiven()
  @TextLine({ min: 0, max: ENDPOINT_DESCRIPTION_CHARACTERS_MAX })
  description?: string;

  @ApiPropertyOptional({ default: true, description: 'Whether events are sent.' })
  @IfGiven()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    default: false,
    description: 'Whether failed attempts keep the first 4 KiB of the response body.',
  })
  @IfGiven()
  @IsBoolean()
  keepResponseBodies?: boolean;
}

export class CreateEventEndpointBody extends EventEndpointOptionsBody {
  @ApiProperty(url)
  @IsString()
  url!: string;

  @ApiProperty(eventTypes)
  @EventTypes()
  eventTypes!: EventTypeName[];
}

export class UpdateEventEndpointBody extends EventEndpointOptionsBody {
  @ApiPropertyOptional(url)
  @IfGiven()
  @IsString()
  url?: string;

  @ApiPropertyOptional(eventTypes)
  @IfGiven()
  @EventTypes()
  eventTypes?: EventTypeName[];
}

export class EventEndpointResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'https://hooks.shop.example/events' }) url!: string;
  @ApiProperty({ example: 'Chat of the web team' }) description!: string;
  @ApiProperty({ enum: EVENT_TYPE_NAMES, isArray: true, example: ['scan.finished', 'tier.changed'] })
  eventTypes!: EventTypeName[];
  @ApiProperty() enabled!: boolean;
  @ApiProperty({
    enum: ENDPOINT_STATES,
    description:
      'held: the receiver is unavailable; events wait, and the oldest one is tried again and again',
    example: 'active',
  })
  state!: EndpointState;
  @ApiProperty({ ...instant, description: 'Start of the hold; null unless held' }) heldSince!: Date | null;
  @ApiProperty({ type: String, nullable: true, description: 'The failure that started it; null unless held' })
  heldReason!: string | null;
  @ApiProperty({ ...instant, description: 'When the oldest event is sent next; null unless held' })
  nextProbeAt!: Date | null;
  @ApiProperty({
    type: String,
    enum: DISABLED_REASONS,
    nullable: true,
    description:
      'owner: a member disabled it. no_success: nothing was delivered for five days. null: enabled',
  })
  disabledReason!: DisabledReason | null;
  @ApiProperty({ ...instant, description: 'First failed attempt since the last success; null: none' })
  failingSince!: Date | null;
  @ApiProperty({ ...instant, description: 'Last success; null: none' }) lastDeliveredAt!: Date | null;
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: WAITING_COUNTED_MAX,
    description: 'Waiting events, without those that are being sent, counted up to 1,000',
    example: 0,
  })
  waiting!: number;
  @ApiProperty({ ...instant, description: 'Until when the former secret also signs; null: there is none' })
  formerSecretValidUntil!: Date | null;
  @ApiProperty({ example: false }) keepResponseBodies!: boolean;
  @ApiProperty() createdAt!: Date;
}

export class EventEndpointPageResponse {
  @ApiProperty({ type: [EventEndpointResponse] }) items!: EventEndpointResponse[];
  @ApiProperty({ type: String, nullable: true, description: 'Always null: a project has at most 10' })
  nextCursor!: string | null;
}

const secret = {
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  description: 'Signs the requests (Standard Webhooks). Shown only here.',
};

export class CreatedEventEndpointResponse extends EventEndpointResponse {
  @ApiProperty(secret) secret!: string;
}

export class EventSecretResponse {
  @ApiProperty(secret) secret!: string;
  @ApiProperty({ ...instant, description: 'Until when the former secret also signs' })
  formerSecretValidUntil!: Date | null;
}

export class ListEventDeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ATTEMPT_OUTCOMES })
  @IsOptional()
  @IsIn(ATTEMPT_OUTCOMES)
  outcome?: AttemptOutcome;

  @ApiPropertyOptional({ format: 'uuid', description: 'Only of this event.' })
  @IsOptional()
  @IsUUID()
  eventId?: string;
}

const CATEGORIES = [...FAILURE_CATEGORIES, EXPIRED] as const;

export class EventAttemptResponse {
  @ApiProperty({ format: 'uuid', example: '01938c5e-7a3b-7c11-9f00-5e7a9c1d3f46' }) id!: string;
  @ApiProperty({ format: 'uuid', description: 'The event; also `webhook-id` of the request' })
  eventId!: string;
  @ApiProperty({ enum: EVENT_TYPE_NAMES }) type!: EventTypeName;
  @ApiProperty({ enum: ATTEMPT_OUTCOMES }) outcome!: AttemptOutcome;
  @ApiProperty({ type: 'integer', description: 'Number of the attempt', example: 1 }) attempt!: number;
  @ApiProperty({
    type: String,
    enum: CATEGORIES,
    nullable: true,
    description: 'Why it failed; expired: the event was not delivered within 72 hours',
  })
  category!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 204 }) httpStatus!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'A sentence for a failure' })
  reason!: string | null;
  @ApiProperty({ type: 'integer', example: 84 }) durationMs!: number;
  @ApiProperty() attemptedAt!: Date;
  @ApiProperty({
    description: 'Whether a response body is stored, which viewers cannot read',
    example: false,
  })
  hasResponseBody!: boolean;
  @ApiProperty({
    enum: EVENT_DELIVERY_STATES,
    description: "State of the event's delivery now",
    example: 'delivered',
  })
  state!: EventDeliveryState;
  @ApiProperty({ ...instant, description: 'When it is tried again, at the earliest; null: it is not' })
  nextAttemptAt!: Date | null;
}

export class EventAttemptPageResponse {
  @ApiProperty({ type: [EventAttemptResponse] }) items!: EventAttemptResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

export class EventResponseBodyResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: RESPONSE_BODY_STORED_BYTES,
    description: 'The first 4 KiB as text, with invalid UTF-8 replaced; null if none was stored.',
    example: '{"error":"unknown event"}',
  })
  responseBody!: string | null;
}

export class EventResendResponse {
  @ApiProperty({
    type: 'integer',
    description: '0 if the event was pending already; it is sent soon',
    example: 1,
  })
  queued!: number;
}

export class EventSkipResponse {
  @ApiProperty({ type: 'integer', description: '0 if the event was not pending', example: 1 })
  skipped!: number;
}

export class RecoverEventsBody {
  @ApiProperty({ type: String, format: 'date-time', description: 'At most 14 days ago.' })
  @IsInstant()
  since!: Date;
}

export class RecoverEventsResponse {
  @ApiProperty({ type: 'integer', description: 'Queued events, at most 10,000', example: 12 })
  queued!: number;
  @ApiProperty({ description: 'Whether there may be more. Repeat the request for those.', example: false })
  more!: boolean;
}

export class EventTestResponse {
  @ApiProperty({ format: 'uuid' }) eventId!: string;
  @ApiProperty() delivered!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, example: 204 }) httpStatus!: number | null;
  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true }) category!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'A sentence for a failure' })
  reason!: string | null;
  @ApiProperty({ type: 'integer', example: 84 }) durationMs!: number;
}
