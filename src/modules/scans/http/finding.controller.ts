import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageQuery } from '../../../platform/http/page-query.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { SERVICE_CATEGORIES, type ServiceCategory } from '../../publishing/domain/configuration.js';
import {
  CHANGES_MAX,
  type Difference,
  FindingService,
  type ScanChanges,
  type ScanFindings,
  type StateSummary,
} from '../application/finding.service.js';
import {
  CERTAINTIES,
  type Certainty,
  FINDING_KINDS,
  FINDING_RULES,
  FINDING_STATUSES,
  type FindingKind,
  type FindingStatus,
} from '../domain/finding.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import { ITEM_KINDS, type ItemKind } from '../domain/scan.js';
import type { SeenItem, UsedPage } from '../domain/seen-item.js';

const REASON_CHARACTERS_MAX = 500;

class FindingsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: FINDING_STATUSES })
  @IsOptional()
  @IsIn(FINDING_STATUSES)
  status?: FindingStatus;
}

class ScanChangesQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'The scan to compare with; absent: the one before' })
  @IsOptional()
  @IsUUID()
  since?: string;
}

class AcceptFindingBody {
  @ApiProperty({ description: 'Why the finding is accepted' })
  @TextLine({ min: 1, max: REASON_CHARACTERS_MAX })
  reason!: string;
}

/** Members of every finding; lists of one scan and of all scans return the same. */
interface FindingRow extends Omit<FindingResponse, 'rule'> {
  pageUrls: string[];
}

class PageUseResponse implements UsedPage {
  @ApiProperty({ example: 'https://shop.example/' }) url!: string;
  @ApiProperty({
    enum: ['response', 'script'],
    nullable: true,
    description: 'What set the item on this page; null: the page did not set it',
  })
  setBy!: UsedPage['setBy'];
  @ApiProperty({ description: 'Whether a request of this page sent it' }) sent!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Script, response or frame; null: unknown' })
  initiator!: string | null;
}

class FindingResponse {
  @ApiProperty({ format: 'uuid', description: 'The same in every scan of the project' }) id!: string;
  @ApiProperty({ enum: FINDING_KINDS }) kind!: FindingKind;
  @ApiProperty({
    description: 'The rule that the observation touches',
    example: FINDING_RULES.before_consent,
  })
  rule!: string;
  @ApiProperty({
    enum: CERTAINTIES,
    description:
      '`settled`: the rule plainly covers it; `arguable`: it depends on the purpose; `open`: too little is known',
  })
  certainty!: Certainty;
  @ApiProperty({
    enum: FINDING_STATUSES,
    description: '`fixed`: after two scans without it, or by a decision; `accepted`: by a member',
    example: 'open',
  })
  status!: FindingStatus;
  @ApiProperty({
    enum: ITEM_KINDS,
    nullable: true,
    description: 'null: it concerns pages',
    example: 'cookie',
  })
  itemKind!: ItemKind | null;
  @ApiProperty({ description: 'Of the cookie or entry; empty: of a request or a page', example: '_ga' })
  name!: string;
  @ApiProperty({ description: 'Site of what is stored, or host that was requested', example: 'shop.example' })
  host!: string;
  @ApiProperty({ enum: SCAN_STATES, description: 'Consent state in which it was seen' }) state!: ScanState;
  @ApiProperty({
    type: [String],
    description: 'Addresses of pages; empty: it concerns the site',
    example: ['https://shop.example/'],
  })
  pageUrls!: string[];
  @ApiProperty({
    type: [PageUseResponse],
    description:
      'How each page used the item: a page that neither set nor sent it had it stored. Empty: of pages, and of findings that an earlier version stored',
  })
  uses!: UsedPage[];
  @ApiProperty({
    enum: SCAN_STATES,
    isArray: true,
    description: 'All states in which the item was seen, with or without a finding; empty: it concerns pages',
    example: ['before', 'accept'],
  })
  seenIn!: ScanState[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Script, response or frame that caused it first',
  })
  initiator!: string | null;
  @ApiProperty({
    enum: SERVICE_CATEGORIES,
    nullable: true,
    description: 'null: unknown',
    example: 'analytics',
  })
  category!: ServiceCategory | null;
  @ApiProperty({ type: String, nullable: true }) service!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Only of `longer_than_declared`',
    example: 63072000,
  })
  lifetimeSeconds!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Declared duration, in words' })
  declared!: string | null;
  @ApiProperty({ format: 'uuid' }) firstScanId!: string;
  @ApiProperty({ format: 'uuid', description: 'The last scan that saw it' }) lastScanId!: string;
  @ApiProperty({ example: '2026-11-17T09:30:00.000Z' }) firstSeenAt!: Date;
  @ApiProperty() lastSeenAt!: Date;
  @ApiProperty({ type: String, nullable: true }) acceptedReason!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) acceptedAt!: Date | null;

  static of(row: FindingRow): FindingResponse {
    const { id, kind, certainty, status, itemKind, name, host, state, pageUrls, uses, initiator } = row;
    const {
      seenIn,
      category,
      service,
      lifetimeSeconds,
      declared,
      firstScanId,
      lastScanId,
      firstSeenAt,
      lastSeenAt,
    } = row;
    const { acceptedReason, acceptedAt } = row;
    return {
      id,
      kind,
      rule: FINDING_RULES[kind],
      certainty,
      status,
      itemKind,
      name,
      host,
      state,
      pageUrls,
      uses,
      seenIn,
      initiator,
      category,
      service,
      lifetimeSeconds,
      declared,
      firstScanId,
      lastScanId,
      firstSeenAt,
      lastSeenAt,
      acceptedReason,
      acceptedAt,
    };
  }
}

class FindingPageResponse {
  @ApiProperty({ type: [FindingResponse] }) items!: FindingResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

class StateSummaryResponse implements StateSummary {
  @ApiProperty({ enum: SCAN_STATES }) state!: ScanState;
  @ApiProperty({ description: 'false: nothing is known about this state' }) tested!: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'Cookies and entries that need consent, settled or arguably; accepted ones are left out',
    example: 3,
  })
  cookies!: number;
  @ApiProperty({ type: 'integer', description: 'Services that were requested and need consent', example: 2 })
  services!: number;
  @ApiProperty({ type: 'integer', description: 'Items of which too little is known', example: 1 })
  open!: number;
}

class ScanFindingPageResponse extends FindingPageResponse {
  @ApiProperty({ type: [StateSummaryResponse], description: 'Of the whole scan, by state without consent' })
  summary!: StateSummaryResponse[];

  static of({ items, nextCursor, summary }: ScanFindings): ScanFindingPageResponse {
    return { items: items.map((finding) => FindingResponse.of(finding)), nextCursor, summary };
  }
}

class ChangedItemResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: ITEM_KINDS }) kind!: ItemKind;
  @ApiProperty({ description: 'Empty: a request', example: '_ga' }) name!: string;
  @ApiProperty({ example: 'shop.example' }) host!: string;
  @ApiProperty({ example: false }) thirdParty!: boolean;
  @ApiProperty({ enum: SCAN_STATES, isArray: true }) states!: ScanState[];

  static of({ id, kind, name, host, thirdParty, sightings }: SeenItem): ChangedItemResponse {
    return { id, kind, name, host, thirdParty, states: sightings.map(({ state }) => state) };
  }
}

class ItemDifferenceResponse {
  @ApiProperty({ type: 'integer', example: 1 }) count!: number;
  @ApiProperty({ type: [ChangedItemResponse], maxItems: CHANGES_MAX }) items!: ChangedItemResponse[];
}

class FindingDifferenceResponse {
  @ApiProperty({ type: 'integer', example: 1 }) count!: number;
  @ApiProperty({ type: [FindingResponse], maxItems: CHANGES_MAX }) items!: FindingResponse[];
}

class ScanChangesResponse {
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'null: there is no earlier scan',
  })
  since!: string | null;
  @ApiProperty({ type: ItemDifferenceResponse, description: `At most ${CHANGES_MAX} are listed` })
  itemsAdded!: ItemDifferenceResponse;
  @ApiProperty({ type: ItemDifferenceResponse }) itemsRemoved!: ItemDifferenceResponse;
  @ApiProperty({ type: FindingDifferenceResponse }) findingsAdded!: FindingDifferenceResponse;
  @ApiProperty({ type: FindingDifferenceResponse }) findingsRemoved!: FindingDifferenceResponse;

  static of(changes: ScanChanges): ScanChangesResponse {
    return {
      since: changes.since,
      itemsAdded: mapped(changes.itemsAdded, (item) => ChangedItemResponse.of(item)),
      itemsRemoved: mapped(changes.itemsRemoved, (item) => ChangedItemResponse.of(item)),
      findingsAdded: mapped(changes.findingsAdded, (finding) => FindingResponse.of(finding)),
      findingsRemoved: mapped(changes.findingsRemoved, (finding) => FindingResponse.of(finding)),
    };
  }
}

function mapped<Entry, Shown>(
  { count, items }: Difference<Entry>,
  show: (entry: Entry) => Shown,
): Difference<Shown> {
  return { count, items: items.map(show) };
}

const NO_SCAN = { description: 'scan_not_found: scan not found.' };
const NO_FINDING = { description: 'finding_not_found: finding not found.' };

/** Findings: what scans observed, the rule that it touches, and how certain that is (docs/scans.md). */
@ApiTags('Scans')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class FindingController {
  constructor(private readonly findings: FindingService) {}

  /** The most certain first. A worker writes them a moment after the scan has ended. */
  @Get('scans/:scanId/findings')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the findings of a scan' })
  @ApiOkResponse({ type: ScanFindingPageResponse })
  @ApiNotFoundResponse(NO_SCAN)
  async ofScan(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Query() query: FindingsQuery,
  ): Promise<ScanFindingPageResponse> {
    return ScanFindingPageResponse.of(await this.findings.ofScan(project.id, scanId, query));
  }

  @Get('scans/:scanId/changes')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Compare a scan with an earlier one' })
  @ApiOkResponse({ type: ScanChangesResponse })
  @ApiNotFoundResponse(NO_SCAN)
  async changes(
    @CurrentProject() project: Project,
    @Param('scanId') scanId: string,
    @Query() { since }: ScanChangesQuery,
  ): Promise<ScanChangesResponse> {
    return ScanChangesResponse.of(await this.findings.changes(project.id, scanId, since));
  }

  /** The most certain first. Without a status all but the fixed ones. */
  @Get('findings')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List the current findings of a project' })
  @ApiOkResponse({ type: FindingPageResponse })
  async list(
    @CurrentProject() project: Project,
    @Query() query: FindingsQuery,
  ): Promise<FindingPageResponse> {
    const { items, nextCursor } = await this.findings.list(project.id, query);
    return { items: items.map((finding) => FindingResponse.of(finding)), nextCursor };
  }

  @Post('findings/:findingId/accept')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiBodyExample({ reason: 'The payment provider needs it to prevent fraud.' })
  @ApiOperation({ summary: 'Accept a finding' })
  @ApiOkResponse({ type: FindingResponse })
  @ApiNotFoundResponse(NO_FINDING)
  @ApiConflictResponse({ description: 'finding_fixed: the finding is fixed.' })
  async accept(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('findingId') findingId: string,
    @Body() { reason }: AcceptFindingBody,
  ): Promise<FindingResponse> {
    return FindingResponse.of(
      await this.findings.accept({ projectId: project.id, author }, findingId, reason),
    );
  }

  @Post('findings/:findingId/reopen')
  @HttpCode(200)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Undo the acceptance of a finding' })
  @ApiOkResponse({ type: FindingResponse })
  @ApiNotFoundResponse(NO_FINDING)
  @ApiConflictResponse({ description: 'finding_not_accepted: the finding is not accepted.' })
  async reopen(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('findingId') findingId: string,
  ): Promise<FindingResponse> {
    return FindingResponse.of(await this.findings.reopen({ projectId: project.id, author }, findingId));
  }
}
