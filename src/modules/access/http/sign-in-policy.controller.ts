import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiConflictResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { CurrentActor, CurrentProject, ProjectRole, SessionOnly } from '../access.decorators.js';
import { SignInPolicyService } from '../application/sign-in-policy.service.js';
import type { Actor } from '../domain/actor.js';
import { SignInPolicyBody } from './second-factor.dto.js';

/** A project's requirements for its members' sign-in. */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/sign-in-policy')
export class SignInPolicyController {
  constructor(private readonly policies: SignInPolicyService) {}

  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read whether members need 2FA' })
  @ApiOkResponse({ type: SignInPolicyBody })
  @Get()
  read(@CurrentProject() project: Project): Promise<SignInPolicyBody> {
    return this.policies.read(project.id);
  }

  /**
   * When required, members without a second factor get 403 `second_factor_required`; API keys are
   * exempt. Requires a session: an API key gets 403 `session_required`, a session without a second
   * factor 409 `second_factor_missing`.
   */
  @ProjectRole('owner')
  @SessionOnly()
  @ApiBodyExample({ secondFactorRequired: false })
  @ApiConflictResponse({ description: '`second_factor_missing`' })
  @ApiOperation({ summary: 'Change whether members need 2FA' })
  @ApiOkResponse({ type: SignInPolicyBody })
  @Put()
  save(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() body: SignInPolicyBody,
  ): Promise<SignInPolicyBody> {
    return this.policies.save(project.id, body, actor);
  }
}
