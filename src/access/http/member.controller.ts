import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Project } from '../../projects/domain/project.js';
import { DomainError } from '../../shared/domain-error.js';
import { isUuid } from '../../shared/ids.js';
import { pageOf } from '../../shared/page.js';
import { CurrentActor, CurrentProject, ManagesAccess } from '../access.decorators.js';
import type { Actor } from '../domain/actor.js';
import { MembershipService } from '../application/membership.service.js';
import { ApiKeyDto, ApiKeyPageDto } from './api-key.dto.js';
import { AddMemberBody, ChangeRoleBody, MemberDto, MemberPageDto } from './member.dto.js';
import { PageQuery, rowsOf } from '../../shared/page-query.js';

/**
 * Members of a project, for its owners (design §5) signed in as themselves, or with a key that has the scope
 * `manage_access`; with another key 403 `scope_required`.
 */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@ManagesAccess()
@Controller('v1/projects/:projectId/members')
export class MemberController {
  constructor(private readonly memberships: MembershipService) {}

  @ApiOperation({ summary: 'List members' })
  @ApiOkResponse({ type: MemberPageDto })
  @Get()
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<MemberPageDto> {
    const members = await this.memberships.members(project.id, rowsOf(query));
    return pageOf(
      members,
      query.limit,
      (member) => member.userId,
      (member) => member,
    );
  }

  /** 404 `user_not_found` where nobody signed up with the e-mail, 409 `member_exists`. */
  @ApiOperation({ summary: 'Add somebody who has signed up' })
  @ApiCreatedResponse({ type: MemberDto })
  @Post()
  async add(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() body: AddMemberBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberDto> {
    const member = await this.memberships.add(project.id, body, actor);
    response.location(`/v1/projects/${project.id}/members/${member.userId}`);
    return member;
  }

  /**
   * The active keys that the member made: removing her revokes them all, giving her a lower role those that may
   * more. Ask before doing either; `nextCursor` is always null.
   */
  @ApiOperation({ summary: 'The API keys that would go with a member' })
  @ApiOkResponse({ type: ApiKeyPageDto })
  @Get(':userId/api-keys')
  async keysOf(@CurrentProject() project: Project, @Param('userId') userId: string): Promise<ApiKeyPageDto> {
    const apiKeys = await this.memberships.keysOf(memberRef(project, userId));
    return { items: apiKeys.map(ApiKeyDto.of), nextCursor: null };
  }

  /**
   * 409 `last_owner` where nobody would be owner any more. Keys that the member made and that may more than the
   * new role are revoked.
   */
  @ApiOperation({ summary: "Change a member's role" })
  @ApiOkResponse({ type: MemberDto })
  @Patch(':userId')
  changeRole(
    @CurrentProject() project: Project,
    @Param('userId') userId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ChangeRoleBody,
  ): Promise<MemberDto> {
    return this.memberships.changeRole(memberRef(project, userId), body.role, actor);
  }

  /**
   * 409 `last_owner` where nobody would be owner any more. Every API key that the member made is revoked;
   * `GET …/members/:userId/api-keys` lists them before.
   */
  @ApiOperation({ summary: 'Remove a member' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':userId')
  async remove(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Param('userId') userId: string,
  ): Promise<void> {
    await this.memberships.remove(memberRef(project, userId), actor);
  }
}

function memberRef(project: Project, userId: string): { projectId: string; userId: string } {
  if (!isUuid(userId)) throw new DomainError('member_not_found', 'This project has no such member.');
  return { projectId: project.id, userId: userId.toLowerCase() };
}
