import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { OrganizationInvitationService } from './application/organization-invitation.service.js';
import { OrganizationMemberService } from './application/organization-member.service.js';
import { OrganizationService } from './application/organization.service.js';
import { OrganizationProjects } from './organization-projects.service.js';

/** Organizations, their members, invitations and projects. */
@Module({
  imports: [AccessModule, ProjectsModule],
  providers: [
    OrganizationService,
    OrganizationMemberService,
    OrganizationInvitationService,
    OrganizationProjects,
  ],
  exports: [
    OrganizationService,
    OrganizationMemberService,
    OrganizationInvitationService,
    OrganizationProjects,
  ],
})
export class OrganizationsModule {}
