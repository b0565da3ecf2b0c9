import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { Controller, Get, NotFoundException, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { sendCompressed } from '../../../platform/http/file-answer.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { type DocsPage, guideIndex, guidePage, referencePage } from './docs-page.js';
import { documentList, Guides, renderGuide } from './guides.js';

const MARKDOWN = '.md';
const FILE_TYPES: Record<string, string> = { '.png': 'image/png', '.json': 'application/json' };

/** The documentation for customers' developers: the API reference, and the guides of `docs/`. */
@ApiExcludeController()
@Controller()
export class DocsController {
  private readonly guides = new Guides();
  private readonly pages = new Map<string, DocsPage>();

  constructor(@InjectSettings(serviceSettings) private readonly service: ServiceSettings) {}

  @Get('docs')
  @Public()
  reference(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.sendPage(request, response, '', referencePage);
  }

  @Get('docs/guides')
  @Public()
  list(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.sendPage(request, response, 'guides', () => guideIndex(this.guides.groups));
  }

  /** A guide as a page, or, with `.md`, as its Markdown. */
  @Get('docs/:name')
  @Public()
  read(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const isMarkdown = name.endsWith(MARKDOWN);
    const markdown = this.guides.markdown(isMarkdown ? name.slice(0, -MARKDOWN.length) : name);
    if (markdown === undefined) throw new NotFoundException();
    if (isMarkdown) return send(request, response, { body: markdown, type: 'text/markdown' });
    return this.sendPage(request, response, name, () => {
      const { html, headings, title } = renderGuide(markdown);
      const content = `${html}<p class="source">This page as <a href="/docs/${name}.md">Markdown</a></p>`;
      return guidePage({ title, path: `/docs/${name}`, content, headings, groups: this.guides.groups });
    });
  }

  /** A sample, picture or schema of a guide. Samples are shown as text: no browser runs them. */
  @Get('docs/:folder/:file')
  @Public()
  readFile(
    @Param('folder') folder: string,
    @Param('file') file: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const body = this.guides.file(`${folder}/${file}`);
    if (body === undefined) throw new NotFoundException();
    return send(request, response, { body, type: FILE_TYPES[extname(file)] ?? 'text/plain' });
  }

  /** The documents and the contract for language models (llmstxt.org). */
  @Get('llms.txt')
  @Public()
  listForModels(@Req() request: Request, @Res() response: Response): Promise<void> {
    const body = documentList(this.guides.groups, resolveBaseUrl(this.service));
    return send(request, response, { body, type: 'text/plain' });
  }

  /** Rendered at the first request. */
  private async sendPage(
    request: Request,
    response: Response,
    name: string,
    render: () => DocsPage,
  ): Promise<void> {
    const page = this.pages.get(name) ?? render();
    this.pages.set(name, page);
    response.setHeader('Content-Security-Policy', page.contentSecurityPolicy);
    await send(request, response, { body: page.html, type: 'text/html' });
  }
}

/** The text changes only with the version of the service: caches revalidate and get 304. */
async function send(
  request: Request,
  response: Response,
  { body, type }: { body: string | Buffer; type: string },
): Promise<void> {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  response.type(type);
  response.setHeader('Cache-Control', 'no-cache');
  await sendCompressed(request, response, { body, etag });
}
