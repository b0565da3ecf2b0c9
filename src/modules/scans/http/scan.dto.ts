import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';
import { ListOf } from '../../http/body-shape.js';
import { IfGiven } from '../../http/if-given.decorator.js';
import type { ScanAllowance } from '../application/scan-requests.js';
import type { ScanDetails } from '../application/scan.service.js';
import {
  PAGE_REASONS,
  PAGE_SENTENCES,
  PAGE_STATUSES,
  type PageReason,
  type PageStatus,
  SCAN_ORIGINS,
  SCAN_REASONS,
  SCAN_SENTENCES,
  SCAN_STATUSES,
  type ScanOrigin,
  type ScanReason,
  type ScanStatus,
} from '../domain/scan.js';
import { PAGE_URL_CHARACTERS_MAX } from '../domain/scan-address.js';
import { START_URLS_MAX } from '../domain/scan-limits.js';
import {
  SCAN_STATES,
  type ScanState,
  SKIPPABLE_STATES,
  type SkippableState,
  STATE_REASONS,
  STATE_SENTENCES,
  STATE_STATUSES,
  type StateReason,
  type StateStatus,
} from '../domain/scan-state.js';
import type { ScanPageView, ScanStateView, ScanView } from '../domain/scan-view.js';

export class RequestScanDto {
  @ApiPropertyOptional({
    type: [String],
    maxItems: START_URLS_MAX,
    description: "Start addresses on the project's hosts; absent or empty: the home pages of its domains",
  })
  @IfGiven()
  @ListOf({ max: START_URLS_MAX })
  @IsString({ each: true })
  @MaxLength(PAGE_URL_CHARACTERS_MAX, { each: true })
  urls?: string[];

  @ApiPropertyOptional({
    enum: SKIPPABLE_STATES,
    isArray: true,
    maxItems: SKIPPABLE_STATES.length,
    description: 'Consent states that are left out; without `accept`, `withdraw` is left out, too',
  })
  @IfGiven()
  @ListOf({ max: SKIPPABLE_STATES.length })
  @IsIn(SKIPPABLE_STATES, { each: true })
  skipStates?: SkippableState[];

  @ApiPropertyOptional({
    default: false,
    description:
      'Visits pages that robots.txt denies, too. Only for hosts on which a scan of the last 7 days found the loader',
  })
  @IfGiven()
  @IsBoolean()
  ignoreRobots?: boolean;
}

class PageCountsDto {
  @ApiProperty({ type: 'integer' }) visited!: number;
  @ApiProperty({ type: 'integer' }) failed!: number;
  @ApiProperty({ type: 'integer' }) skipped!: number;
  @ApiProperty({ type: 'integer', description: 'Found and not visited yet' }) open!: number;
}

class ScanReasonDto {
  @ApiProperty({ enum: SCAN_REASONS }) code!: ScanReason;
  @ApiProperty() message!: string;
}

class PageReasonDto {
  @ApiProperty({ enum: PAGE_REASONS }) code!: PageReason;
  @ApiProperty() message!: string;
}

class RefusedDto {
  @ApiProperty({ type: 'integer' }) downloads!: number;
  @ApiProperty({ type: 'integer' }) popups!: number;
  @ApiProperty({ type: 'integer' }) dialogs!: number;
}

export class ScanDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: SCAN_STATUSES, description: '`partial`: ended, but not all pages were loaded' })
  status!: ScanStatus;
  @ApiProperty({ enum: SCAN_ORIGINS, description: 'Whether a member or the schedule requested it' })
  origin!: ScanOrigin;
  @ApiProperty({ type: ScanReasonDto, nullable: true, description: 'Why the result is not complete' })
  reason!: ScanReasonDto | null;
  @ApiProperty({ type: [String], description: 'Start addresses' }) urls!: string[];
  @ApiProperty({ type: 'integer', description: 'Most pages that this scan visits' }) pagesMax!: number;
  @ApiProperty({ description: 'Whether pages that robots.txt denies are visited, too' })
  ignoreRobots!: boolean;
  @ApiProperty({ type: PageCountsDto }) pages!: PageCountsDto;
  @ApiProperty({ type: String, nullable: true, description: 'Browser that visited the pages' })
  browser!: string | null;
  @ApiProperty({ type: RefusedDto, description: 'What pages attempted and the scanner refused' })
  refused!: RefusedDto;
  @ApiProperty() createdAt!: Date;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) startedAt!: Date | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) endedAt!: Date | null;

  static of(scan: ScanView): ScanDto {
    const { id, status, origin, reason, urls, pagesMax, pages, browser, createdAt, startedAt, endedAt } =
      scan;
    return {
      ...{ id, status, origin, urls, pagesMax, ignoreRobots: scan.ignoreRobots, pages, browser },
      ...{ createdAt, startedAt, endedAt },
      reason: reason && { code: reason, message: SCAN_SENTENCES[reason] },
      refused: {
        downloads: scan.refusedDownloads,
        popups: scan.refusedPopups,
        dialogs: scan.refusedDialogs,
      },
    };
  }
}

export class ScanAllowanceDto implements ScanAllowance {
  @ApiProperty({ description: 'Whether a scanner is running' }) scannerAvailable!: boolean;
  @ApiProperty({ type: [String], description: 'Start addresses of a scan that names none' })
  defaultUrls!: string[];
  @ApiProperty({ type: 'integer' }) pagesMax!: number;
  @ApiProperty({ type: 'integer', description: 'Scans in 24 hours' }) scansPerDay!: number;
  @ApiProperty({ type: 'integer', description: 'Scans that may be requested now' }) scansLeft!: number;
}

export class ScanListDto {
  @ApiProperty({ type: [ScanDto] }) items!: ScanDto[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
  @ApiProperty({ type: ScanAllowanceDto }) allowance!: ScanAllowanceDto;
}

export class ScanPageDto {
  @ApiProperty({ type: 'integer' }) number!: number;
  @ApiProperty() url!: string;
  @ApiProperty({ enum: PAGE_STATUSES }) status!: PageStatus;
  @ApiProperty({ type: PageReasonDto, nullable: true, description: 'Why it failed or was skipped' })
  reason!: PageReasonDto | null;
  @ApiProperty({ type: 'integer', nullable: true }) httpStatus!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Address after redirects; null: the same' })
  finalUrl!: string | null;
  @ApiProperty({ description: "Whether the project's loader was on it" }) loaderFound!: boolean;
  @ApiProperty({ type: 'integer', nullable: true }) durationMs!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) visitedAt!: Date | null;

  static of({ reason, ...page }: ScanPageView): ScanPageDto {
    return { ...page, reason: reason && { code: reason, message: PAGE_SENTENCES[reason] } };
  }
}

class StateReasonDto {
  @ApiProperty({ enum: STATE_REASONS }) code!: StateReason;
  @ApiProperty() message!: string;
}

class ScanStateDto {
  @ApiProperty({ enum: SCAN_STATES }) state!: ScanState;
  @ApiProperty({ enum: STATE_STATUSES, description: '`skipped`: left out on request' }) status!: StateStatus;
  @ApiProperty({
    type: StateReasonDto,
    nullable: true,
    description: 'Why it was not tested, or not on all pages, or what was odd about the choice',
  })
  reason!: StateReasonDto | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'own',
    description: 'What made the choice: `own`, `heuristic`, or `autoconsent:` and the name of the banner',
  })
  driver!: string | null;
  @ApiProperty({ type: [Number], description: 'Numbers of the pages' }) pages!: number[];
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) startedAt!: Date | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) endedAt!: Date | null;
  @ApiProperty() hasScreenshot!: boolean;

  static of({ reason, ...state }: ScanStateView): ScanStateDto {
    return { ...state, reason: reason && { code: reason, message: STATE_SENTENCES[reason] } };
  }
}

class ScanFiguresDto {
  @ApiProperty({ type: 'integer', description: 'Different cookies, by name and domain' }) cookies!: number;
  @ApiProperty({ type: 'integer' }) thirdPartyCookies!: number;
  @ApiProperty({ type: 'integer', description: 'Different names in localStorage and sessionStorage' })
  storageEntries!: number;
  @ApiProperty({ type: 'integer' }) requests!: number;
  @ApiProperty({ type: 'integer', description: 'Hosts of other sites that were requested' })
  thirdPartyHosts!: number;
}

export class ScanDetailsDto extends ScanDto {
  @ApiProperty({ type: ScanFiguresDto }) figures!: ScanFiguresDto;
  @ApiProperty({ type: [ScanPageDto], description: 'In the order in which they were found' })
  pageList!: ScanPageDto[];
  @ApiProperty({
    type: [ScanStateDto],
    description: 'In the order in which they are tested; empty until the pages have been visited',
  })
  states!: ScanStateDto[];

  static override of(scan: ScanDetails): ScanDetailsDto {
    return {
      ...ScanDto.of(scan),
      figures: scan.figures,
      pageList: scan.pageList.map((page) => ScanPageDto.of(page)),
      states: scan.states.map((state) => ScanStateDto.of(state)),
    };
  }
}
