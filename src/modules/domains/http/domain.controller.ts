import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { ApiBodyExample, ApiRefusals } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { CustomDomainService } from '../application/custom-domain.service.js';
import { AddDomainBody, CustomDomainResponse, CustomDomainListResponse } from './domain.dto.js';

/** Custom domains of a project (docs/first-party.md). */
@ApiTags('First party')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/domains')
export class DomainController {
  constructor(private readonly domains: CustomDomainService) {}

  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List custom domains' })
  @ApiOkResponse({ type: CustomDomainListResponse })
  async list(@CurrentProject() project: Project): Promise<CustomDomainListResponse> {
    const items = await this.domains.list(project.id);
    return { ...this.domains.limits(), items: items.map((domain) => CustomDomainResponse.of(domain)) };
  }

  /**
   * Create one of `records`; the domain is checked every hour until it is verified. Another project
   * may add the same hostname: DNS decides who owns it. 429 after the day's attempts.
   */
  @Post()
  @ProjectRole('editor')
  @ApiRefusals(429, 503)
  @ApiBodyExample({ hostname: 'consent.example.com' })
  @ApiOperation({ summary: 'Add a custom domain' })
  @ApiCreatedResponse({ type: CustomDomainResponse })
  @ApiConflictResponse({
    description:
      'domain_exists: the project already has this custom domain. domain_limit_reached: the project has as many as it can have.',
  })
  async add(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() { hostname }: AddDomainBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CustomDomainResponse> {
    const domain = await this.domains.add({ project, author }, hostname, new Date());
    response.setHeader('Location', `/v1/projects/${project.id}/domains/${domain.id}`);
    return CustomDomainResponse.of(domain);
  }

  @Get(':domainId')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a custom domain' })
  @ApiOkResponse({ type: CustomDomainResponse })
  @ApiNotFoundResponse({ description: 'domain_not_found: custom domain not found.' })
  async read(
    @CurrentProject() project: Project,
    @Param('domainId') domainId: string,
  ): Promise<CustomDomainResponse> {
    return CustomDomainResponse.of(await this.domains.read(project.id, domainId));
  }

  /**
   * Returns the domain with the result. 429 after the day's attempts; scheduled checks run anyway.
   */
  @Post(':domainId/check')
  @ProjectRole('editor')
  @HttpCode(200)
  @ApiRefusals(429, 503)
  @ApiOperation({ summary: 'Check the DNS records of a custom domain now' })
  @ApiOkResponse({ type: CustomDomainResponse })
  @ApiNotFoundResponse({ description: 'domain_not_found: custom domain not found.' })
  async check(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('domainId') domainId: string,
  ): Promise<CustomDomainResponse> {
    return CustomDomainResponse.of(await this.domains.check({ project, author }, domainId, new Date()));
  }

  /** The host stops serving within seconds, and another project may verify it. */
  @Delete(':domainId')
  @ProjectRole('editor')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove a custom domain' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse({ description: 'domain_not_found: custom domain not found.' })
  async remove(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('domainId') domainId: string,
  ): Promise<void> {
    await this.domains.remove({ project, author }, domainId);
  }
}
