import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { toPage } from '../../../platform/export/page.js';
import { QueryInteger } from '../../../platform/http/integer.decorator.js';
import { CURSOR_CHARACTERS_MAX, rowsOf } from '../../../platform/http/page-query.js';
import { TimeZoneName } from '../../../platform/http/time-zone.decorator.js';
import { CurrentActor, SignedIn } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Actor } from '../../access/domain/actor.js';
import { ROLES, type Role } from '../../access/domain/role.js';
import { ProjectService } from '../../projects/project.service.js';
import { ProjectOverview } from '../application/project-overview.js';
import { ProjectResponse, splitWithheld, WITHHELD, WithheldProjectResponse } from './project.dto.js';

/** Projects of one page: each costs a few index lookups in several tables. */
const STATUS_PAGE_MAX = 100;

class ProjectStatusQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: STATUS_PAGE_MAX, default: STATUS_PAGE_MAX })
  @IsOptional()
  @QueryInteger({ min: 1, max: STATUS_PAGE_MAX })
  limit: number = STATUS_PAGE_MAX;

  @ApiPropertyOptional({ description: 'nextCursor of the previous page' })
  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_CHARACTERS_MAX)
  cursor?: string;

  @TimeZoneName()
  timeZone: string = 'UTC';
}

const ENDPOINT_STATES = ['off', 'unused', 'healthy', 'failing', 'held'] as const;

class EndpointStatusResponse {
  @ApiProperty({
    enum: ENDPOINT_STATES,
    description:
      '`off`: forwarding is off or not in the tier; `unused`: nothing was sent yet; `held`: records wait until the endpoint is available again',
    example: 'healthy',
  })
  state!: (typeof ENDPOINT_STATES)[number];
  @ApiProperty({ type: Date, nullable: true, description: 'Start of the failure or hold' })
  since!: Date | null;
}

class ListedUndeliveredResponse {
  @ApiProperty({
    type: 'integer',
    description: 'Records that were not delivered, counted up to 100',
    example: 0,
  })
  records!: number;
  @ApiProperty({ description: 'Whether there are more', example: false }) more!: boolean;
}

class ProjectStatusResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Shop' }) name!: string;
  @ApiProperty({ type: [String], example: ['shop.example'] }) domains!: string[];
  @ApiProperty({ enum: ['lite', 'pro', 'business', 'enterprise'], example: 'pro' }) tier!: string;
  @ApiProperty({ enum: ROLES, description: 'Role of the caller', example: 'owner' }) role!: Role;
  @ApiProperty({
    type: 'integer',
    description: 'Records received today, in the time zone of the request',
    example: 1284,
  })
  recordsToday!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description:
      "Of today's choices (one per device), the share that grants at least one category; null without any",
    example: 0.65,
  })
  optInRateToday!: number | null;
  @ApiProperty({ type: ListedUndeliveredResponse }) undelivered!: ListedUndeliveredResponse;
  @ApiProperty({ type: EndpointStatusResponse }) endpoint!: EndpointStatusResponse;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Latest publication of the banner by a member or API key; null: none in the last 24 months',
    example: '2026-11-28T14:05:00.000Z',
  })
  publishedAt!: Date | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'When the draft of the banner was saved; null: no draft waits to be published',
    example: null,
  })
  draftSavedAt!: Date | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'When the loader was last seen on the site; null: not in the last 30 days',
    example: '2026-12-01T09:30:00.000Z',
  })
  lastSeenAt!: Date | null;
}

class ProjectStatusPageResponse {
  @ApiProperty({ type: [ProjectStatusResponse] }) items!: ProjectStatusResponse[];
  @ApiProperty({ type: [WithheldProjectResponse], description: WITHHELD })
  withheld!: WithheldProjectResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

/** The status of many projects at once, for people who run many sites. */
@ApiTags('Projects')
@Controller('v1/project-statuses')
export class ProjectStatusController {
  constructor(
    private readonly access: AccessService,
    private readonly projects: ProjectService,
    private readonly overview: ProjectOverview,
  ) {}

  /** The caller's projects with their status, newest first; for an API key, its one project. */
  @SignedIn()
  @ApiOperation({ summary: 'List projects with their status' })
  @ApiOkResponse({ type: ProjectStatusPageResponse })
  @Get()
  async list(
    @CurrentActor() actor: Actor,
    @Query() query: ProjectStatusQuery,
  ): Promise<ProjectStatusPageResponse> {
    const places = toPage(
      await this.access.placesOf(actor, rowsOf(query)),
      query.limit,
      ({ projectId }) => projectId,
      (place) => place,
    );
    const projects = await this.projects.read(places.items.map(({ projectId }) => projectId));
    const { readable, withheld } = splitWithheld(places.items, projects);
    const now = new Date();
    const statusOf = await this.overview.readStatuses(
      readable.map(({ project }) => project.id),
      { now, timeZone: query.timeZone },
    );
    const items = readable.map(({ project, role }) => {
      const { id, name, domains, tier } = ProjectResponse.of(project, { role, lastFailureReason: null }, now);
      return { id, name, domains, tier, role, ...statusOf(id) };
    });
    return { items, withheld, nextCursor: places.nextCursor };
  }
}
