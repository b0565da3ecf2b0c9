import { Controller, Delete, Header, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { SigningSecretService } from '../application/signing-secret.service.js';
import { SigningSecretResponse } from './forwarding.dto.js';

/**
 * The secret that signs requests to a project's endpoint. Like removing a token, it needs no tier.
 */
@ApiTags('Forwarding')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/forwarding/signing-secret')
export class SigningSecretController {
  constructor(private readonly secrets: SigningSecretService) {}

  /** The secret is used at once and shown once; a previous one also signs for seven days. */
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Create or rotate the signing secret' })
  @ApiOkResponse({ type: SigningSecretResponse })
  make(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<SigningSecretResponse> {
    return this.secrets.make(project.id, author, new Date());
  }

  /** 204 also without a former secret. */
  @Delete('former')
  @HttpCode(204)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Retire the old signing secret' })
  @ApiNoContentResponse()
  async forgetFormer(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.secrets.forgetFormer(project.id, author);
  }

  /** 204 also if requests were not signed. */
  @Delete()
  @HttpCode(204)
  @ProjectRole('editor')
  @ApiOperation({ summary: 'Remove the signing secret and stop signing requests' })
  @ApiNoContentResponse()
  async remove(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.secrets.remove(project.id, author);
  }
}
