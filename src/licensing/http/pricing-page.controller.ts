import { createHash } from 'node:crypto';
import { Controller, Get, Headers, HttpStatus, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../access/access.decorators.js';
import { isUnchanged } from '../../shared/entity-tag.js';
import { PRICING_CACHE_CONTROL } from './pricing.controller.js';
import { pricingPage } from './pricing-page.js';

const { html, contentSecurityPolicy } = pricingPage();
const ETAG = `"${createHash('sha256').update(html).digest('base64url')}"`;

/** Prices for people, as a page that needs no script (spec §2.5). */
@ApiExcludeController()
@Controller('pricing')
export class PricingPageController {
  @Get()
  @Public()
  read(@Headers('if-none-match') ifNoneMatch: string | undefined, @Res() response: Response): void {
    response.set({
      ETag: ETAG,
      'Cache-Control': PRICING_CACHE_CONTROL,
      'Content-Security-Policy': contentSecurityPolicy,
    });
    if (isUnchanged(ifNoneMatch, ETAG)) response.status(HttpStatus.NOT_MODIFIED).end();
    else response.type('html').send(html);
  }
}
