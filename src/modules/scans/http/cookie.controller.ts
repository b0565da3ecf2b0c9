import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { CookieService } from '../application/cookie.service.js';
import { CookieResponse, CookiePageResponse, CookiesQuery, DecideCookieBody } from './cookie.dto.js';

/**
 * The items that scans saw on a project's site over time, with the owner's decisions
 * (docs/scans.md).
 */
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
