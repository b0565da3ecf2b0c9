import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { ProxySecretService } from '../application/proxy-secret.service.js';
import { CreateProxySecretBody, NewProxySecretResponse, ProxyResponse } from './proxy.dto.js';

/** The project's path proxy (docs/first-party.md). */
@ApiTags('First party')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/first-party/proxy')
export class ProxyController {
  constructor(private readonly secrets: ProxySecretService) {}

  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read the state of the path proxy' })
  @ApiOkResponse({ type: ProxyResponse })
  async read(@CurrentProject() project: Project): Promise<ProxyResponse> {
    return ProxyResponse.of(await this.secrets.read(project.id, new Date()));
  }

  /**
   * Returns the secret, only once. A former secret stays valid for `formerValidHours` (24), so that
   * the proxy can be changed in between; the one before that expires immediately.
   */
  @Post('secret')
  @ProjectRole('editor')
  @ApiBody({ type: CreateProxySecretBody, required: false })
  @ApiBodyExample({ formerValidHours: 24 })
  @ApiOperation({ summary: 'Create or rotate the secret of the path proxy' })
  @ApiCreatedResponse({ type: NewProxySecretResponse })
  create(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() { formerValidHours }: CreateProxySecretBody,
  ): Promise<NewProxySecretResponse> {
    return this.secrets.create({ projectId: project.id, author }, { formerValidHours, now: new Date() });
  }

  /** From now on visitors behind the proxy share one rate limit and the unknown region. */
  @Delete('secret')
  @ProjectRole('editor')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete the secrets of the path proxy' })
  @ApiNoContentResponse()
  async remove(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.secrets.remove(project.id, author);
  }

  /** The current secret stays valid. */
  @Delete('secret/former')
  @ProjectRole('editor')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete the former secret of the path proxy' })
  @ApiNoContentResponse()
  async forgetFormer(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.secrets.forgetFormer(project.id, author);
  }
}
