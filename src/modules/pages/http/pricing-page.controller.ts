import { createHash } from 'node:crypto';
import { Controller, Get, Headers, HttpStatus, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/http/public.decorator.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUnchanged } from '../../../platform/http/entity-tag.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type DomainSettings, domainSettings } from '../../domains/domains.settings.js';
import { type LicensingSettings, licensingSettings } from '../../licensing/licensing.settings.js';
import { PRICING_CACHE_CONTROL } from '../../licensing/domain/catalogue.js';
import { PRICING_LANGUAGES, type PricingLanguage, type PricingOptions, pricingPage } from './pricing-page.js';

const LANGUAGES = Object.keys(PRICING_LANGUAGES) as PricingLanguage[];

/** The pricing page, without scripts (spec §2.5). */
@ApiExcludeController()
@Controller('pricing')
export class PricingPageController {
  private readonly pages = new Map<PricingLanguage, RenderedPage>();

  constructor(
    @InjectSettings(licensingSettings) private readonly licensing: LicensingSettings,
    @InjectSettings(domainSettings) private readonly domains: DomainSettings,
  ) {}

  /** In the language that the browser prefers among the available ones, else in the first. */
  @Get()
  @Public()
  read(
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    const liked = request.acceptsLanguages(LANGUAGES) || LANGUAGES[0];
    response.vary('Accept-Language');
    this.send(String(liked), ifNoneMatch, response);
  }

  /** In one language, for links and search engines. @throws DomainError `not_found` for another one. */
  @Get(':language')
  @Public()
  readIn(
    @Param('language') language: string,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res() response: Response,
  ): void {
    this.send(language, ifNoneMatch, response);
  }

  private get options(): PricingOptions {
    return { contactUrl: this.licensing.contactUrl, hasCustomDomains: this.domains.target !== '' };
  }

  private send(language: string, ifNoneMatch: string | undefined, response: Response): void {
    const known = LANGUAGES.find((each) => each === language);
    if (!known) throw new DomainError('not_found', 'Prices are not available in this language.');
    const page = this.pages.get(known) ?? renderPage(known, this.options);
    this.pages.set(known, page);
    response.set({
      ETag: page.etag,
      'Cache-Control': PRICING_CACHE_CONTROL,
      'Content-Language': language,
      'Content-Security-Policy': page.contentSecurityPolicy,
    });
    if (isUnchanged(ifNoneMatch, page.etag)) response.status(HttpStatus.NOT_MODIFIED).end();
    else response.type('html').send(page.html);
  }
}

interface RenderedPage {
  html: string;
  etag: string;
  contentSecurityPolicy: string;
}

function renderPage(language: PricingLanguage, options: PricingOptions): RenderedPage {
  const page = pricingPage(language, options);
  return { ...page, etag: `"${createHash('sha256').update(page.html).digest('base64url')}"` };
}
