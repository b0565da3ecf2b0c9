import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { ProxySecretService, type ProxyView } from '../application/proxy-secret.service.js';
import {
  FORMER_VALID_HOURS_DEFAULT,
  FORMER_VALID_HOURS_MAX,
  PROXY_STATES,
  type ProxyState,
} from '../domain/proxy-secret.js';

const date = { type: String, format: 'date-time', nullable: true } as const;

class CreateProxySecretBody {
  @ApiProperty({
    minimum: 0,
    maximum: FORMER_VALID_HOURS_MAX,
    default: FORMER_VALID_HOURS_DEFAULT,
    required: false,
    description: 'Hours the former secret stays valid; 0: it expires immediately.',
  })
  @IfGiven()
  @Integer({ min: 0, max: FORMER_VALID_HOURS_MAX })
  formerValidHours: number = FORMER_VALID_HOURS_DEFAULT;
}

class NewProxySecretResponse {
  @ApiProperty({ example: 'fps_6yKkYw0sXh9uO2a1l8mC4vB7nQ3pR5tZ0dEwFgHjKlM' }) secret!: string;
  @ApiProperty({ ...date, description: 'Until when the former secret is valid too; null: there is none' })
  formerValidUntil!: Date | null;
}

class ProxyResponse {
  @ApiProperty({
    enum: PROXY_STATES,
    description:
      'unproven: requests arrive without a valid secret, so all visitors share one rate limit and the unknown region',
    example: 'proven',
  })
  state!: ProxyState;
  @ApiProperty({ ...date, description: 'null: there is no secret', example: '2026-11-28T13:40:00.000Z' })
  secretCreatedAt!: Date | null;
  @ApiProperty({ ...date, description: 'Until when the former secret is valid too; null: there is none' })
  formerValidUntil!: Date | null;
  @ApiProperty({
    ...date,
    description: 'Last request with a valid secret, to the minute',
    example: '2026-11-28T14:05:00.000Z',
  })
  provenAt!: Date | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Host named by the last such request',
    example: 'shop.example',
  })
  host!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Path prefix named by the last such request',
    example: '/consent',
  })
  prefix!: string | null;
  @ApiProperty({ ...date, description: 'Last request without a valid secret, to the minute' })
  unprovenAt!: Date | null;

  static of(view: ProxyView): ProxyResponse {
    const { state, secretCreatedAt, formerValidUntil, provenAt, host, prefix, unprovenAt } = view;
    return { state, secretCreatedAt, formerValidUntil, provenAt, host, prefix, unprovenAt };
  }
}

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
