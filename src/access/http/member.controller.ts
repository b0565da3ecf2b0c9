import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Project } from '../../projects/project.entity.js';
import { DomainError } from '../../shared/domain-error.js';
import { isUuid } from '../../shared/ids.js';
import { pageOf } from '../../shared/page.js';
import { CurrentProject, ProjectRole } from '../access.decorators.js';
import { MembershipService } from '../application/membership.service.js';
import { AddMemberBody, ChangeRoleBody, MemberDto, MemberPageDto } from './member.dto.js';
import { PageQuery, rowsOf } from '../../shared/page-query.js';

/** Members of a project, for its owners (design §5). */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@ProjectRole('owner')
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
  add(@CurrentProject() project: Project, @Body() body: AddMemberBody): Promise<MemberDto> {
    return this.memberships.add(project.id, body);
  }

  /** 409 `last_owner` where nobody would be owner any more. */
  @ApiOperation({ summary: "Change a member's role" })
  @ApiOkResponse({ type: MemberDto })
  @Patch(':userId')
  changeRole(
    @CurrentProject() project: Project,
    @Param('userId') userId: string,
    @Body() body: ChangeRoleBody,
  ): Promise<MemberDto> {
    return this.memberships.changeRole(memberRef(project, userId), body.role);
  }

  /** 409 `last_owner` where nobody would be owner any more. */
  @ApiOperation({ summary: 'Remove a member' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':userId')
  async remove(@CurrentProject() project: Project, @Param('userId') userId: string): Promise<void> {
    await this.memberships.remove(memberRef(project, userId));
  }
}

function memberRef(project: Project, userId: string): { projectId: string; userId: string } {
  if (!isUuid(userId)) throw new DomainError('member_not_found', 'This project has no such member.');
  return { projectId: project.id, userId: userId.toLowerCase() };
}
