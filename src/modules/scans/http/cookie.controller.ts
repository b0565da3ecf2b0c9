import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import {
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsIn, IsOptional, ValidateIf } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { SERVICE_CATEGORIES, type ServiceCategory } from '../../publishing/domain/configuration.js';
import {
  type CategoryFilter,
  type ClassifiedSiteItem,
  CookieService,
  type DecisionRequest,
} from '../application/cookie.service.js';
import {
  type Classification,
  CLASSIFICATION_CERTAINTIES,
  CLASSIFICATION_SOURCES,
  type ClassificationCertainty,
  type ClassificationSource,
} from '../domain/classify-item.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import { ITEM_KINDS, type ItemKind } from '../domain/scan.js';

const CATEGORY_FILTERS = ['unclassified', ...SERVICE_CATEGORIES] as const;
const PURPOSE_CHARACTERS_MAX = 500;
const PROVIDER_CHARACTERS_MAX = 120;
const DURATION_CHARACTERS_MAX = 60;

class CookiesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: CATEGORY_FILTERS, description: '`unclassified`: without a category' })
  @IsOptional()
  @IsIn(CATEGORY_FILTERS)
  category?: CategoryFilter;
}

class DecideCookieBody {
  @ApiProperty({ enum: SERVICE_CATEGORIES, nullable: true, description: 'null: removes the decision' })
  @ValidateIf((_, value: unknown) => value !== null)
  @IsIn(SERVICE_CATEGORIES)
  category!: ServiceCategory | null;
  @ApiPropertyOptional({ description: 'In words, for the declaration' })
  @IfGiven()
  @TextLine({ min: 1, max: PURPOSE_CHARACTERS_MAX })
  purpose?: string;
  @ApiPropertyOptional()
  @IfGiven()
  @TextLine({ min: 1, max: PROVIDER_CHARACTERS_MAX })
  provider?: string;
  @ApiPropertyOptional({ description: 'In words, e.g. `13 months`' })
  @IfGiven()
  @TextLine({ min: 1, max: DURATION_CHARACTERS_MAX })
  duration?: string;

  static request({ category, purpose, provider, duration }: DecideCookieBody): DecisionRequest {
    return { category, purpose: purpose ?? null, provider: provider ?? null, duration: duration ?? null };
  }
}

class ClassificationResponse implements Classification {
  @ApiProperty({
    enum: SERVICE_CATEGORIES,
    nullable: true,
    description: 'null: unknown, or only proposed',
    example: 'analytics',
  })
  category!: ServiceCategory | null;
  @ApiProperty({
    enum: SERVICE_CATEGORIES,
    isArray: true,
    description: 'What the owner is asked about',
    example: ['analytics'],
  })
  proposed!: ServiceCategory[];
  @ApiProperty({ enum: CLASSIFICATION_SOURCES }) source!: ClassificationSource;
  @ApiProperty({ enum: CLASSIFICATION_CERTAINTIES, description: '`guess`: by the name alone' })
  certainty!: ClassificationCertainty;
  @ApiProperty({ type: String, nullable: true, example: 'Google Analytics' }) service!: string | null;
  @ApiProperty({ type: String, nullable: true }) provider!: string | null;
  @ApiProperty({ type: String, nullable: true }) purpose!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'In words' }) duration!: string | null;
  @ApiProperty({ type: String, nullable: true }) policyUrl!: string | null;
}

class CookieResponse {
  @ApiProperty({ format: 'uuid', description: 'Of kind, name and host' }) id!: string;
  @ApiProperty({ enum: ITEM_KINDS }) kind!: ItemKind;
  @ApiProperty({ description: 'Ids in it are `*`; empty: requests to the host', example: '_ga' })
  name!: string;
  @ApiProperty({ description: 'Site of what is stored, or host that was requested', example: 'shop.example' })
  host!: string;
  @ApiProperty({ description: 'Whether it belongs to another site than the pages', example: false })
  thirdParty!: boolean;
  @ApiProperty({ type: ClassificationResponse }) classification!: ClassificationResponse;
  @ApiProperty({
    type: [String],
    description: 'Scripts, responses and frames that caused it',
    example: ['https://www.googletagmanager.com/gtag/js'],
  })
  initiators!: string[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Longest lifetime seen; null: the session',
    example: 63072000,
  })
  lifetimeSeconds!: number | null;
  @ApiProperty({ enum: SCAN_STATES, isArray: true, description: 'In the last scan that saw it' })
  states!: ScanState[];
  @ApiProperty({
    type: [String],
    description: 'Addresses of some pages in the last scan that saw it',
    example: ['https://shop.example/'],
  })
  pageUrls!: string[];
  @ApiProperty({ format: 'uuid', description: 'The last scan that saw it' }) lastScanId!: string;
  @ApiProperty({ example: '2026-11-17T09:30:00.000Z' }) firstSeenAt!: Date;
  @ApiProperty() lastSeenAt!: Date;

  static of(item: ClassifiedSiteItem): CookieResponse {
    const { id, kind, name, host, thirdParty, classification, initiators, lifetimeSeconds } = item;
    const { states, pageUrls, lastScanId, firstSeenAt, lastSeenAt } = item;
    return {
      id,
      kind,
      name,
      host,
      thirdParty,
      classification,
      initiators,
      lifetimeSeconds,
      states,
      pageUrls,
      lastScanId,
      firstSeenAt,
      lastSeenAt,
    };
  }
}

class CookiePageResponse {
  @ApiProperty({ type: [CookieResponse] }) items!: CookieResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

/** The items that scans saw on a project's site over time, with the owner's decisions (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/cookies')
export class CookieController {
  constructor(private readonly cookies: CookieService) {}

  /** Cookies, storage entries and requested services. Unknown ones come first, then guesses. */
  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the cookies and services of the site' })
  @ApiOkResponse({ type: CookiePageResponse })
  async list(@CurrentProject() project: Project, @Query() query: CookiesQuery): Promise<CookiePageResponse> {
    const { items, nextCursor } = await this.cookies.list(project.id, query);
    return { items: items.map((item) => CookieResponse.of(item)), nextCursor };
  }

  /** The findings of the newest scan are evaluated again a moment later. */
  @Put(':cookieId')
  @ProjectRole('editor')
  @ApiBodyExample({ category: 'necessary', purpose: 'Keeps the cart.', duration: '1 day' })
  @ApiOperation({ summary: 'Decide what a cookie is for' })
  @ApiOkResponse({ type: CookieResponse })
  @ApiNotFoundResponse({ description: 'cookie_not_found: cookie not found.' })
  async decide(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('cookieId') cookieId: string,
    @Body() body: DecideCookieBody,
  ): Promise<CookieResponse> {
    const by = { projectId: project.id, author };
    return CookieResponse.of(await this.cookies.decide(by, cookieId, DecideCookieBody.request(body)));
  }
}
