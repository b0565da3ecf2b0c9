import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import type { Project } from '../../projects/domain/project.js';
import { CurrentActor, CurrentProject, ProjectRole } from '../access.decorators.js';
import { MembershipService } from '../application/membership.service.js';
import { type Actor, requireUser } from '../domain/actor.js';
import { MemberDto } from './member.dto.js';

class TransferOwnershipBody {
  @ApiProperty({ format: 'uuid', description: 'A member of the project.' })
  @IsUUID()
  userId!: string;
}

/** What a member does about her own place in a project, signed in as herself. */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class OwnershipController {
  constructor(private readonly memberships: MembershipService) {}

  /** Makes a member owner and the caller editor, at once; both are told by mail. 404 `member_not_found`. */
  @ProjectRole('owner')
  @ApiOperation({ summary: 'Hand the ownership over' })
  @ApiOkResponse({ type: MemberDto })
  @HttpCode(200)
  @Post('ownership')
  transfer(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() { userId }: TransferOwnershipBody,
  ): Promise<MemberDto> {
    return this.memberships.transferOwnership(project, userId.toLowerCase(), requireUser(actor));
  }

  /** The keys that the caller made on the project are revoked. 409 `last_owner`. */
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Leave the project' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Post('leave')
  async leave(@CurrentProject() project: Project, @CurrentActor() actor: Actor): Promise<void> {
    await this.memberships.leave(project.id, requireUser(actor));
  }
}
