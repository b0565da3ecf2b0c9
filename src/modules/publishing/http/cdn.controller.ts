import { applyDecorators, Controller, Get, Logger, Options, Param, Req, Res } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  type ApiResponseOptions,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { sendCompressed } from '../../../platform/http/file-answer.js';
import { isUnchanged } from '../../../platform/http/entity-tag.js';
import { firstPartyOf, isBound } from '../../../platform/http/first-party.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { REGION_HEADER } from '../../../platform/identity/brand.js';
import { isUuid } from '../../../platform/identity/ids.js';
import {
  ApiAnyOrigin,
  ApiNoDatabase,
  ApiResponseHeaders,
} from '../../../platform/openapi/api-description.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { orUnavailable } from '../../../platform/storage/object-storage.js';
import { unknownProject } from '../../projects/domain/project.js';
import { SiteReader } from '../application/site-reader.js';
import { DECLARATION_POLICY, OWN_CHOICE_POLICY } from '../domain/declaration-page.js';
import { choiceCookieKind, relativeAddresses } from '../domain/document.js';
import {
  CONFIGURATION,
  CONFIGURATION_OF_VISITOR,
  IMMUTABLE,
  LOADER,
  UNKNOWN_PROJECT,
} from '../domain/published-files.js';
import { isEu, subdividedRegionOf, UNKNOWN_REGION } from '../domain/region.js';
import { type PublishingSettings, publishingSettings } from '../publishing.settings.js';
import { SITE_DOCUMENT_EXAMPLE } from './publication.dto.js';

/** Every file below `cdn/:projectId`. */
const CDN_FILES = [
  'loader.js',
  'blocker.js',
  'declaration.js',
  'declaration.html',
  'banner-:hash.js',
  'signals-:hash.js',
  'logo-:hash.png',
  'text-:name.json',
  'details-:name.json',
  'config.json',
] as const;

const SCRIPT = {
  description: 'JavaScript',
  content: { 'text/javascript': { schema: { type: 'string' } } },
};
/** The response of a file, by its ending. */
const RESPONSES = {
  js: SCRIPT,
  html: { description: 'HTML', content: { 'text/html': { schema: { type: 'string' } } } },
  png: { description: 'PNG', content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
};
/** JSON files, by the beginning of their name. */
const JSON_EXAMPLES = {
  config: SITE_DOCUMENT_EXAMPLE,
  text: { language: 'de', title: 'Ihre Privatsphäre', acceptAll: 'Alle akzeptieren' },
  details: { labels: { consentId: 'Consent-ID' }, categories: [], services: [] },
};

function responseOf(path: (typeof CDN_FILES)[number]): ApiResponseOptions {
  const ending = path.slice(path.lastIndexOf('.') + 1) as keyof typeof RESPONSES | 'json';
  if (ending !== 'json') return RESPONSES[ending];
  const example = JSON_EXAMPLES[/^[a-z]+/.exec(path)?.[0] as keyof typeof JSON_EXAMPLES];
  const schema = { type: 'object', additionalProperties: true };
  return { description: 'See docs/publishing.md', content: { 'application/json': { schema, example } } };
}

/** A public GET of a file of the CDN: 200 with an ETag, or 304. */
function CdnFile(path: (typeof CDN_FILES)[number], summary: string): MethodDecorator {
  return applyDecorators(
    Get(path),
    Public(),
    ApiOperation({ summary }),
    ...(path.match(/(?<=:)[a-z]+/g) ?? []).map((name) => ApiParam({ name })),
    ApiOkResponse(responseOf(path)),
    ApiResponse({ status: 304, description: 'Not modified' }),
  );
}

const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

interface PublishedFile {
  /** Its name, at the start of a sentence. */
  what: string;
  type: string;
  /** A page's own. */
  policy?: string;
  read: (projectId: string) => Promise<{ body: string; etag: string } | null>;
}

/** Serves the files of a CDN: in standalone mode, or as a CDN's origin (design §5). */
@ApiTags('CDN')
@ApiAnyOrigin()
@ApiResponseHeaders('Timing-Allow-Origin', 'Vary', 'X-Amz-Meta-Tier')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('cdn/:projectId')
export class CdnController {
  private readonly logger = new Logger(CdnController.name);

  constructor(
    private readonly sites: SiteReader,
    @InjectSettings(publishingSettings) private readonly settings: PublishingSettings,
  ) {}

  /** The loader: 200 with a strong ETag, or 304. The same for every project, so none is looked up. */
  @CdnFile('loader.js', 'Loader script for the website')
  @ApiNoDatabase()
  async loader(
    @Param('projectId') projectId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    openToAll(response);
    if (!isUuid(projectId)) throw withoutProject(response);
    const { body, etag } = this.sites.loader();
    response.setHeader('Cache-Control', LOADER);
    response.type('text/javascript');
    await sendCompressed(request, response, { body, etag });
  }

  /**
   * Our banner, which the loader asks for where the configuration names it; 404 `not_found` for a file that was
   * never published.
   */
  @CdnFile('banner-:hash.js', 'Our banner, as named by the configuration')
  async banner(
    @Param('projectId') projectId: string,
    @Param('hash') hash: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendPageScript(projectId, `banner-${hash}.js`, request, response);
  }

  /** The signals, where the configuration names them in the place of our banner; 404 `not_found` as above. */
  @CdnFile('signals-:hash.js', 'Signals to other systems, as named by the configuration')
  async signals(
    @Param('projectId') projectId: string,
    @Param('hash') hash: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendPageScript(projectId, `signals-${hash}.js`, request, response);
  }

  /** Blocks requests until their category is granted, by the rules of the configuration; 404 `project_not_found`. */
  @CdnFile('blocker.js', 'Blocker script for the website')
  async blocker(
    @Param('projectId') projectId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendPublished(projectId, request, response, {
      what: 'The blocker',
      type: 'text/javascript',
      read: (id) => this.sites.blocker(id),
    });
  }

  /** Shows the published services and cookies where the page has `data-service-declaration`; 404 `project_not_found`. */
  @CdnFile('declaration.js', 'Embeddable declaration of services and cookies')
  async declaration(
    @Param('projectId') projectId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendPublished(projectId, request, response, {
      what: 'The declaration',
      type: 'text/javascript',
      read: (id) => this.sites.declaration(id),
    });
  }

  /** The same as a page, in all languages of the banner; through a path proxy with the visitor's own choice. */
  @CdnFile('declaration.html', 'Page with the declaration of services and cookies')
  async declarationPage(
    @Param('projectId') projectId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const onSite = firstPartyOf(request) !== undefined;
    await this.sendPublished(projectId, request, response, {
      what: 'The declaration',
      type: 'text/html',
      policy: onSite ? OWN_CHOICE_POLICY : DECLARATION_POLICY,
      read: (id) => this.sites.declarationPage(id, { onSite }),
    });
  }

  /** The banner's logo, as named by the configuration; 404 `not_found` for one that was never published. */
  @CdnFile('logo-:hash.png', 'Logo of our banner, as named by the configuration')
  async logo(
    @Param('projectId') projectId: string,
    @Param('hash') hash: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    openToAll(response);
    if (!isUuid(projectId)) throw withoutProject(response);
    const name = `logo-${hash}.png`;
    const body = await orUnavailable(this.logger, 'The logo', () =>
      this.sites.logo(projectId.toLowerCase(), name),
    );
    if (!body) throw new DomainError('not_found', 'Logo not found.');
    const etag = `"${name}"`;
    response.set({ 'Cache-Control': IMMUTABLE, ETag: etag });
    if (isUnchanged(request.headers['if-none-match'], etag)) response.status(304).end();
    else response.type('image/png').send(body);
  }

  /**
   * The banner's first layer in another language than the default one, of a configuration with
   * `languages`; 404 `not_found` for a file that was never published.
   */
  @CdnFile('text-:name.json', 'Texts of our banner in one language, as named by the configuration')
  async text(
    @Param('projectId') projectId: string,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendLanguageFile(projectId, `text-${name}.json`, request, response);
  }

  /** The second layer in one language, with the services; 404 `not_found` as above. */
  @CdnFile('details-:name.json', 'Second layer of our banner in one language, as named by the configuration')
  async details(
    @Param('projectId') projectId: string,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendLanguageFile(projectId, `details-${name}.json`, request, response);
  }

  /**
   * The newest published configuration, with the visitor's region where a trusted proxy sends it: 200 with an
   * ETag, or 304; 404 `project_not_found`, cached briefly; 503 where storage is away.
   */
  @CdnFile('config.json', 'Published configuration')
  async configuration(
    @Param('projectId') projectId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    openToAll(response);
    const document = isUuid(projectId)
      ? await orUnavailable(this.logger, 'The configuration', () => this.sites.read(projectId.toLowerCase()))
      : null;
    if (!document) throw withoutProject(response);
    const region = this.regionOf(request);
    const { countryHeader, subdivisionHeader } = this.settings;
    const firstParty = firstPartyOf(request);
    const isOnCustomerHost = firstParty !== undefined || isBound(request);
    const isOfVisitor = countryHeader !== '' || firstParty !== undefined;
    response.setHeader('Cache-Control', isOfVisitor ? CONFIGURATION_OF_VISITOR : CONFIGURATION);
    if (countryHeader) response.vary([countryHeader, subdivisionHeader].filter(Boolean).join(', '));
    // As S3 answers for the object's metadata.
    response.setHeader('x-amz-meta-tier', document.tier);
    response.type('application/json');
    await sendCompressed(request, response, {
      body: JSON.stringify({
        ...document,
        region,
        isEu: isEu(region),
        ...(isOnCustomerHost && relativeAddresses(document)),
        ...(firstParty && { choiceCookie: choiceCookieKind(document) }),
      }),
      etag: `"${document.configHash}-${region}${firstParty ? '-first-party' : isOnCustomerHost ? '-custom-domain' : ''}"`,
    });
  }

  /** The preflight of a page that sends more headers than a plain GET needs. */
  @Options([...CDN_FILES])
  @Public()
  @ApiExcludeEndpoint()
  preflight(@Res() response: Response): void {
    openToAll(response);
    response
      .set({
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': 'If-None-Match, Cache-Control',
        'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
      })
      .status(204)
      .end();
  }

  private async sendPageScript(
    projectId: string,
    name: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    openToAll(response);
    if (!isUuid(projectId)) throw withoutProject(response);
    const script = await orUnavailable(this.logger, 'The configuration', () =>
      this.sites.pageScript(projectId.toLowerCase(), name),
    );
    if (!script) throw new DomainError('not_found', 'Script not found.');
    response.setHeader('Cache-Control', IMMUTABLE);
    response.type('text/javascript');
    await sendCompressed(request, response, script);
  }

  private async sendLanguageFile(
    projectId: string,
    name: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    openToAll(response);
    if (!isUuid(projectId)) throw withoutProject(response);
    const file = await orUnavailable(this.logger, 'The texts', () =>
      this.sites.languageFile(projectId.toLowerCase(), name),
    );
    if (!file) throw new DomainError('not_found', 'File not found.');
    response.setHeader('Cache-Control', IMMUTABLE);
    response.type('application/json');
    await sendCompressed(request, response, file);
  }

  /** A file that is published with a project, and cached as long as its configuration. */
  private async sendPublished(
    projectId: string,
    request: Request,
    response: Response,
    { what, type, policy, read }: PublishedFile,
  ): Promise<void> {
    openToAll(response);
    const found = isUuid(projectId)
      ? await orUnavailable(this.logger, what, () => read(projectId.toLowerCase()))
      : null;
    if (!found) throw withoutProject(response);
    response.setHeader('Cache-Control', CONFIGURATION);
    if (policy) response.setHeader('Content-Security-Policy', policy);
    response.type(type);
    await sendCompressed(request, response, found);
  }

  /**
   * The header is trusted only from a trusted proxy, because any client could send it (design
   * §6.6). Through a customer's proxy it would name the proxy's country, so that proxy's own header
   * is used, and only with a valid secret.
   */
  private regionOf(request: Request): string {
    const firstParty = firstPartyOf(request);
    if (firstParty) return subdividedRegionOf(firstParty.country, firstParty.subdivision);
    const { countryHeader, subdivisionHeader } = this.settings;
    if (countryHeader === '') return UNKNOWN_REGION;
    const trusts = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
    return trusts(request.socket.remoteAddress ?? '', 0)
      ? subdividedRegionOf(request.headers[countryHeader], request.headers[subdivisionHeader])
      : UNKNOWN_REGION;
  }
}

/** Any site may read it; helmet's defaults are for pages of our own. */
function openToAll(response: Response): void {
  response.set({
    'Access-Control-Allow-Origin': '*',
    // The loader sets its clock by Date, and reads the region from a header of the edge.
    'Access-Control-Expose-Headers': `ETag, Date, ${REGION_HEADER}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Timing-Allow-Origin': '*',
  });
}

function withoutProject(response: Response): DomainError {
  response.setHeader('Cache-Control', UNKNOWN_PROJECT);
  return unknownProject();
}
