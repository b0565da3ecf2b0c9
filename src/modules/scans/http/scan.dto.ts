import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';
import { ListOf } from '../../../platform/http/body-shape.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { translator } from '../../../platform/messages/messages.js';
import type { ScanAllowance } from '../application/scan-requests.js';
import type { ScanDetails, ScanSummary } from '../application/scan.service.js';
import {
  PAGE_REASONS,
  PAGE_STATUSES,
  type PageReason,
  type PageStatus,
  SCAN_ORIGINS,
  SCAN_REASONS,
  SCAN_STATUSES,
  type ScanOrigin,
  type ScanReason,
  type ScanStatus,
} from '../domain/scan.js';
import { PAGE_URL_CHARACTERS_MAX } from '../domain/scan-address.js';
import { FINDING_KINDS, type FindingKind } from '../domain/finding.js';
import { START_URLS_MAX } from '../domain/scan-limits.js';
import type { ProblemCount, ResultChange, ScanResult } from '../domain/scan-result.js';
import {
  SCAN_STATES,
  type ScanState,
  SKIPPABLE_STATES,
  type SkippableState,
  STATE_REASONS,
  STATE_STATUSES,
  type StateReason,
  type StateStatus,
} from '../domain/scan-state.js';
import type { ScanPageView, ScanStateView } from '../domain/scan-view.js';

const t = translator('en', 'scans');

export class RequestScanBody {
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

class PageCountsResponse {
  @ApiProperty({ type: 'integer', example: 42 }) visited!: number;
  @ApiProperty({ type: 'integer', example: 0 }) failed!: number;
  @ApiProperty({ type: 'integer', example: 1 }) skipped!: number;
  @ApiProperty({ type: 'integer', description: 'Found and not visited yet', example: 0 }) open!: number;
}

class ScanReasonResponse {
  @ApiProperty({ enum: SCAN_REASONS }) code!: ScanReason;
  @ApiProperty({ example: t(`scans.reasons.${SCAN_REASONS[0]}`) }) message!: string;
}

class PageReasonResponse {
  @ApiProperty({ enum: PAGE_REASONS }) code!: PageReason;
  @ApiProperty({ example: t(`scans.pageReasons.${PAGE_REASONS[0]}`) }) message!: string;
}

class RefusedResponse {
  @ApiProperty({ type: 'integer', example: 0 }) downloads!: number;
  @ApiProperty({ type: 'integer', example: 1 }) popups!: number;
  @ApiProperty({ type: 'integer', example: 0 }) dialogs!: number;
}

class QueueResponse {
  @ApiProperty({ type: 'integer', example: 3, description: '1: the next one, if no other scan is requested' })
  position!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 240,
    description:
      'Estimated from recent scans; null where none ended, or the account has no scanner time left',
  })
  startsInSeconds!: number | null;
}

class ProblemCountResponse implements ProblemCount {
  @ApiProperty({ enum: FINDING_KINDS, example: 'before_consent' }) kind!: FindingKind;
  @ApiProperty({ type: 'integer', description: 'Cookies and storage entries', example: 6 }) cookies!: number;
  @ApiProperty({ type: 'integer', description: 'Services that were requested', example: 0 })
  services!: number;
}

class ScanResultChangeResponse implements ResultChange {
  @ApiProperty({ format: 'uuid', description: 'The scan before' }) since!: string;
  @ApiProperty({ description: 'When that scan ended' }) at!: Date;
  @ApiProperty({ type: 'integer', description: 'More of them than before; negative: fewer', example: 2 })
  settled!: number;
  @ApiProperty({ type: 'integer', example: 0 }) arguable!: number;
  @ApiProperty({ type: 'integer', example: -1 }) open!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Items with findings that the scan before had none of',
    example: 2,
  })
  added!: number;
  @ApiProperty({ type: 'integer', description: 'Items with findings in the scan before only', example: 0 })
  removed!: number;
}

class ScanResultResponse implements ScanResult {
  @ApiProperty({
    type: 'integer',
    description: 'Items whose most certain finding is `settled`. Accepted findings are left out',
    example: 6,
  })
  settled!: number;
  @ApiProperty({ type: 'integer', description: 'The same for `arguable`', example: 2 }) arguable!: number;
  @ApiProperty({ type: 'integer', description: 'The same for `open`', example: 4 }) open!: number;
  @ApiProperty({
    type: ProblemCountResponse,
    nullable: true,
    description:
      'The worst kind of `settled` findings, e.g. what was set before consent; null: there are none',
  })
  worst!: ProblemCountResponse | null;
  @ApiProperty({
    type: 'integer',
    description: 'Cookies and entries without a finding: declared, or necessary',
    example: 19,
  })
  declared!: number;
  @ApiProperty({
    type: ScanResultChangeResponse,
    nullable: true,
    description: 'null: it is the first result',
  })
  change!: ScanResultChangeResponse | null;
}

export class ScanResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    enum: SCAN_STATUSES,
    description: '`partial`: ended, but not all pages were loaded',
    example: 'completed',
  })
  status!: ScanStatus;
  @ApiProperty({
    type: QueueResponse,
    nullable: true,
    description: 'Place among the scans that wait for a scanner: queued, or running and yielding to others',
    example: null,
  })
  queue!: QueueResponse | null;
  @ApiProperty({ enum: SCAN_ORIGINS, description: 'Whether a member or the schedule requested it' })
  origin!: ScanOrigin;
  @ApiProperty({
    type: ScanReasonResponse,
    nullable: true,
    description: 'Why the result is not complete',
    example: null,
  })
  reason!: ScanReasonResponse | null;
  @ApiProperty({ type: [String], description: 'Start addresses', example: ['https://shop.example/'] })
  urls!: string[];
  @ApiProperty({ type: 'integer', description: 'Most pages that this scan visits', example: 100 })
  pagesMax!: number;
  @ApiProperty({ description: 'Whether pages that robots.txt denies are visited, too', example: false })
  ignoreRobots!: boolean;
  @ApiProperty({ type: PageCountsResponse }) pages!: PageCountsResponse;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Browser that visited the pages',
    example: 'Chromium 142.0',
  })
  browser!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Location of the scanner; null: unknown',
    example: 'Frankfurt, Germany',
  })
  location!: string | null;
  @ApiProperty({
    type: ScanResultResponse,
    nullable: true,
    description:
      'Findings in numbers; null: the scan has not ended, failed, was canceled or loaded no page, or is evaluated in a moment',
  })
  result!: ScanResultResponse | null;
  @ApiProperty({ type: RefusedResponse, description: 'What pages attempted and the scanner refused' })
  refused!: RefusedResponse;
  @ApiProperty() createdAt!: Date;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-12-01T09:30:02.000Z' })
  startedAt!: Date | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-12-01T09:34:10.000Z' })
  endedAt!: Date | null;

  static of(scan: ScanSummary): ScanResponse {
    const {
      id,
      status,
      queue,
      origin,
      reason,
      urls,
      pagesMax,
      pages,
      browser,
      location,
      result,
      createdAt,
      startedAt,
      endedAt,
    } = scan;
    return {
      id,
      status,
      queue,
      origin,
      urls,
      pagesMax,
      ignoreRobots: scan.ignoreRobots,
      pages,
      browser,
      location,
      result,
      createdAt,
      startedAt,
      endedAt,
      reason: reason && { code: reason, message: t(`scans.reasons.${reason}`) },
      refused: {
        downloads: scan.refusedDownloads,
        popups: scan.refusedPopups,
        dialogs: scan.refusedDialogs,
      },
    };
  }
}

export class ScanAllowanceResponse implements ScanAllowance {
  @ApiProperty({ description: 'Whether a scanner is running' }) scannerAvailable!: boolean;
  @ApiProperty({
    type: [String],
    description: 'Start addresses of a scan that names none',
    example: ['https://shop.example/'],
  })
  defaultUrls!: string[];
  @ApiProperty({ type: 'integer', description: 'Hosts of these addresses', example: 2 }) hosts!: number;
  @ApiProperty({ type: 'integer', description: "Those of them shown to be the project's", example: 2 })
  verifiedHosts!: number;
  @ApiProperty({ type: 'integer', example: 100 }) pagesMax!: number;
  @ApiProperty({ type: 'integer', description: 'Scans in 24 hours', example: 5 }) scansPerDay!: number;
  @ApiProperty({ type: 'integer', description: 'Scans that may be requested now', example: 4 })
  scansLeft!: number;
}

export class ScansResponse {
  @ApiProperty({ type: [ScanResponse] }) items!: ScanResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
  @ApiProperty({ type: ScanAllowanceResponse }) allowance!: ScanAllowanceResponse;
}

export class ScanPageResponse {
  @ApiProperty({ type: 'integer', example: 1 }) number!: number;
  @ApiProperty({ example: 'https://shop.example/' }) url!: string;
  @ApiProperty({ enum: PAGE_STATUSES, example: 'visited' }) status!: PageStatus;
  @ApiProperty({
    type: PageReasonResponse,
    nullable: true,
    description: 'Why it failed or was skipped',
    example: null,
  })
  reason!: PageReasonResponse | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 200 }) httpStatus!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Address after redirects; null: the same' })
  finalUrl!: string | null;
  @ApiProperty({ description: "Whether the project's loader was on it" }) loaderFound!: boolean;
  @ApiProperty({ type: 'integer', nullable: true, example: 1840 }) durationMs!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-12-01T09:30:04.000Z' })
  visitedAt!: Date | null;

  static of({ reason, ...page }: ScanPageView): ScanPageResponse {
    return { ...page, reason: reason && { code: reason, message: t(`scans.pageReasons.${reason}`) } };
  }
}

class StateReasonResponse {
  @ApiProperty({ enum: STATE_REASONS }) code!: StateReason;
  @ApiProperty({ example: t(`scans.stateReasons.${STATE_REASONS[0]}`) }) message!: string;
}

class ScanStateResponse {
  @ApiProperty({ enum: SCAN_STATES }) state!: ScanState;
  @ApiProperty({ enum: STATE_STATUSES, description: '`skipped`: left out on request', example: 'tested' })
  status!: StateStatus;
  @ApiProperty({
    type: StateReasonResponse,
    nullable: true,
    description: 'Why it was not tested, or not on all pages, or what was odd about the choice',
    example: null,
  })
  reason!: StateReasonResponse | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'own',
    description:
      'What made the choice: `own`, `heuristic`, or `autoconsent:` or `api:` and the name of the banner',
  })
  driver!: string | null;
  @ApiProperty({ type: [Number], description: 'Numbers of the pages', example: [1, 2, 3] }) pages!: number[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Cookies and entries that were seen; null: the scan is not evaluated',
    example: 31,
  })
  items!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-12-01T09:30:02.000Z' })
  startedAt!: Date | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-12-01T09:34:10.000Z' })
  endedAt!: Date | null;
  @ApiProperty() hasScreenshot!: boolean;

  static of({ reason, ...state }: ScanStateView): ScanStateResponse {
    return { ...state, reason: reason && { code: reason, message: t(`scans.stateReasons.${reason}`) } };
  }
}

class ScanFiguresResponse {
  @ApiProperty({ type: 'integer', description: 'Different cookies, by name and domain', example: 6 })
  cookies!: number;
  @ApiProperty({ type: 'integer', example: 2 }) thirdPartyCookies!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Different names in localStorage and sessionStorage',
    example: 3,
  })
  storageEntries!: number;
  @ApiProperty({ type: 'integer', example: 148 }) requests!: number;
  @ApiProperty({ type: 'integer', description: 'Hosts of other sites that were requested', example: 4 })
  thirdPartyHosts!: number;
}

export class ScanDetailsResponse extends ScanResponse {
  @ApiProperty({ type: ScanFiguresResponse }) figures!: ScanFiguresResponse;
  @ApiProperty({ type: [ScanPageResponse], description: 'In the order in which they were found' })
  pageList!: ScanPageResponse[];
  @ApiProperty({
    type: [ScanStateResponse],
    description: 'In the order in which they are tested; empty until the pages have been visited',
  })
  states!: ScanStateResponse[];

  static override of(scan: ScanDetails): ScanDetailsResponse {
    return {
      ...ScanResponse.of(scan),
      figures: scan.figures,
      pageList: scan.pageList.map((page) => ScanPageResponse.of(page)),
      states: scan.states.map((state) => ScanStateResponse.of(state)),
    };
  }
}
