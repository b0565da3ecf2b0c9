import { Controller, Get, Headers, HttpStatus, Options, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  ApiAnyOrigin,
  ApiNoDatabase,
  ApiResponseHeaders,
} from '../../../platform/openapi/api-description.js';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { Public } from '../../../platform/http/public.decorator.js';
import { isUnchanged } from '../../../platform/http/entity-tag.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { EVENT_DAYS_KEPT, RECOVER_DAYS_MAX } from '../../events/domain/event.js';
import { ENDPOINTS_PER_PROJECT_MAX } from '../../events/domain/event-endpoint.js';
import {
  CATALOGUE,
  CURRENCY,
  IMPORT_FILE_BYTES_MAX,
  IMPORT_FILES_KEPT_DAYS,
  NOT_LIMITED_BY_TIER,
  PRICING_CACHE_CONTROL,
} from '../domain/catalogue.js';
import { TIERS } from '../domain/tier.js';
import { type LicensingSettings, licensingSettings } from '../licensing.settings.js';
import { PricingResponse } from './pricing.dto.js';

const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

@ApiTags('Licensing')
@ApiAnyOrigin()
@ApiResponseHeaders('Timing-Allow-Origin', 'Vary', 'X-Amz-Meta-Tier')
@Controller('v1/pricing')
export class PricingController {
  // Constant while the process runs, so its bytes and entity tag are, too.
  private readonly body: string;
  private readonly etag: string;

  constructor(@InjectSettings(licensingSettings) settings: LicensingSettings) {
    const pricing: PricingResponse = {
      currency: CURRENCY,
      tiers: TIERS.map((tier) => CATALOGUE[tier]),
      notLimitedByTier: [...NOT_LIMITED_BY_TIER],
      limitsOfEveryTier: {
        eventEndpoints: ENDPOINTS_PER_PROJECT_MAX,
        eventDaysKept: EVENT_DAYS_KEPT,
        eventRecoveryDays: RECOVER_DAYS_MAX,
        importFileBytes: IMPORT_FILE_BYTES_MAX,
        importFilesKeptDays: IMPORT_FILES_KEPT_DAYS,
      },
      contactUrl: settings.contactUrl === '' ? null : settings.contactUrl,
    };
    this.body = JSON.stringify(pricing);
    this.etag = `"${createHash('sha256').update(this.body).digest('base64url')}"`;
  }

  /**
   * The public catalogue (spec §2.5, §4.3), for any origin: 200 with a strong ETag, or 304 if
   * `If-None-Match` contains it.
   */
  @Get()
  @Public()
  @ApiNoDatabase()
  @ApiOperation({ summary: 'Read prices, limits, and features of the tiers' })
  @ApiOkResponse({ type: PricingResponse })
  @ApiResponse({ status: 304, description: 'Not modified' })
  read(@Headers('if-none-match') ifNoneMatch: string | undefined, @Res() response: Response): void {
    response.set({
      ETag: this.etag,
      'Cache-Control': PRICING_CACHE_CONTROL,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'ETag',
      // Helmet's default would block the marketing site from embedding it.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    if (isUnchanged(ifNoneMatch, this.etag)) response.status(HttpStatus.NOT_MODIFIED).end();
    else response.type('application/json').send(this.body);
  }

  /** The preflight of a page that sends more headers than a simple GET. */
  @Options()
  @Public()
  @ApiExcludeEndpoint()
  preflight(@Res() response: Response): void {
    response
      .set({
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match',
        'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
      })
      .status(HttpStatus.NO_CONTENT)
      .end();
  }
}
