import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApiConflictResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import type { Author } from '../../audit/domain/author.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { toPage } from '../../../platform/export/page.js';
import { CurrentActor, CurrentAuthor, CurrentProject, ManagesAccess } from '../access.decorators.js';
import type { Actor } from '../domain/actor.js';
import { ApiKeyService, type KeyRef } from '../api-key.service.js';
import {
  ApiKeyResponse,
  ApiKeyPageResponse,
  CreateApiKeyBody,
  CreatedApiKeyResponse,
  RenameApiKeyBody,
  RotateApiKeyBody,
} from './api-key.dto.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';

/**
 * API keys of a project, for its owners (design §5) in a session, or with a key that has the scope
 * `manage_access`; with another key 403 `scope_required`.
 */
@ApiTags('API keys')
@ApiParam({ name: 'projectId', format: 'uuid' })
@ManagesAccess()
@Controller('v1/projects/:projectId/api-keys')
export class ApiKeyController {
  constructor(private readonly apiKeys: ApiKeyService) {}

  /** Newest first, including revoked ones; without keys and hashes. */
  @ApiOperation({ summary: 'List API keys' })
  @ApiOkResponse({ type: ApiKeyPageResponse })
  @Get()
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<ApiKeyPageResponse> {
    const apiKeys = await this.apiKeys.list(project.id, rowsOf(query));
    return toPage(apiKeys, query.limit, (apiKey) => apiKey.id, ApiKeyResponse.of);
  }

  /**
   * The only response that ever contains the key; 409 `api_key_limit_reached`. The key is revoked when the member who
   * created it is removed from the project.
   */
  @ApiBodyExample({ name: 'Reports', role: 'viewer' })
  @ApiConflictResponse({ description: '`api_key_limit_reached`' })
  @ApiOperation({ summary: 'Create an API key' })
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @Post()
  async create(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() { name, role, scopes = [], limitedTo, expiresAt }: CreateApiKeyBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedApiKeyResponse> {
    if (scopes.length > 0 && role !== 'owner') {
      throw fieldErrors([{ field: 'scopes', message: 'Only a key with the role owner can have a scope.' }]);
    }
    if (scopes.length > 0 && limitedTo) {
      throw fieldErrors([{ field: 'limitedTo', message: 'A key with a scope cannot be limited to areas.' }]);
    }
    if (expiresAt && expiresAt <= new Date()) {
      throw fieldErrors([{ field: 'expiresAt', message: 'Must be in the future.', code: 'in_the_past' }]);
    }
    const requested = { projectId: project.id, name, role, scopes };
    const limits = { ...(limitedTo && { limitedTo }), ...(expiresAt && { expiresAt }) };
    const { apiKey, key } = await this.apiKeys.issue({ ...requested, ...limits }, actor);
    response.location(`/v1/projects/${project.id}/api-keys/${apiKey.id}`);
    return { ...ApiKeyResponse.of(apiKey), key };
  }

  /** Also for revoked keys; without key and hash. */
  @ApiOperation({ summary: 'Read an API key' })
  @ApiOkResponse({ type: ApiKeyResponse })
  @Get(':apiKeyId')
  async read(
    @CurrentProject() project: Project,
    @Param('apiKeyId') apiKeyId: string,
  ): Promise<ApiKeyResponse> {
    return ApiKeyResponse.of(await this.apiKeys.read(keyRef(project, apiKeyId)));
  }

  /** 409 `api_key_revoked`. */
  @ApiBodyExample({ name: 'Monthly reports' })
  @ApiConflictResponse({ description: '`api_key_revoked`' })
  @ApiOperation({ summary: 'Rename an API key' })
  @ApiOkResponse({ type: ApiKeyResponse })
  @Patch(':apiKeyId')
  async rename(
    @CurrentProject() project: Project,
    @Param('apiKeyId') apiKeyId: string,
    @CurrentAuthor() author: Author,
    @Body() { name }: RenameApiKeyBody,
  ): Promise<ApiKeyResponse> {
    return ApiKeyResponse.of(await this.apiKeys.rename(keyRef(project, apiKeyId), name, author));
  }

  /**
   * Returns the key's new secret, only once. The former one remains valid for `formerValidHours`
   * (24), so that clients keep working, or until the member who created it is removed. The new
   * secret belongs to the member who rotated the key.
   */
  @ApiBody({ type: RotateApiKeyBody, required: false })
  @ApiBodyExample({ formerValidHours: 24 })
  @ApiOperation({ summary: 'Rotate an API key' })
  @ApiOkResponse({ type: CreatedApiKeyResponse })
  @HttpCode(200)
  @Post(':apiKeyId/rotate')
  async rotate(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Param('apiKeyId') apiKeyId: string,
    @Body() { formerValidHours }: RotateApiKeyBody,
  ): Promise<CreatedApiKeyResponse> {
    const { apiKey, key } = await this.apiKeys.rotate(keyRef(project, apiKeyId), formerValidHours, actor);
    return { ...ApiKeyResponse.of(apiKey), key };
  }

  /** Requests with the key get 401 at once. Revoking it again changes nothing. */
  @ApiOperation({ summary: 'Revoke an API key' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':apiKeyId')
  async revoke(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('apiKeyId') apiKeyId: string,
  ): Promise<void> {
    await this.apiKeys.revoke(keyRef(project, apiKeyId), author);
  }
}

function keyRef(project: Project, apiKeyId: string): KeyRef {
  if (!isUuid(apiKeyId)) throw new DomainError('api_key_not_found', 'API key not found in this project.');
  return { projectId: project.id, id: apiKeyId.toLowerCase() };
}
