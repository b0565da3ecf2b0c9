import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, ValidateIf } from 'class-validator';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { type Role, ROLES } from '../../access/domain/role.js';
import {
  ORGANIZATION_NAME_CHARACTERS_MAX,
  ORGANIZATION_ROLES,
  type OrganizationRole,
  type OrganizationRoles,
} from '../domain/organization.js';

export class OrganizationBody {
  @ApiProperty({ minLength: 1, maxLength: ORGANIZATION_NAME_CHARACTERS_MAX })
  @TextLine({ min: 1, max: ORGANIZATION_NAME_CHARACTERS_MAX })
  name!: string;
}

const PROJECT_ROLE = {
  type: String,
  enum: ROLES,
  nullable: true,
  description: 'Role on all projects of the organization, for the role `member`; null: none.',
} as const;

export class OrganizationRolesBody {
  @ApiProperty({
    enum: ORGANIZATION_ROLES,
    description:
      '`admin`: everything, and owner of all projects; `billing`: plans and invoices; `member`: the role in `projectRole`.',
  })
  @IsIn(ORGANIZATION_ROLES)
  role!: OrganizationRole;

  @ApiPropertyOptional({ ...PROJECT_ROLE, default: null })
  @ValidateIf((_, value: unknown) => value !== undefined && value !== null)
  @IsIn(ROLES)
  projectRole?: Role | null;
}

/** The roles of a body. @throws DomainError `validation_failed` for a role on projects beside another role. */
export function rolesIn({ role, projectRole = null }: OrganizationRolesBody): OrganizationRoles {
  if (role !== 'member' && projectRole !== null) {
    throw fieldErrors([
      { field: 'projectRole', message: `The role ${role} has no role on projects. Leave projectRole out.` },
    ]);
  }
  return { role, projectRole };
}

export class OrganizationResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Agency' }) name!: string;
  @ApiProperty({ enum: ORGANIZATION_ROLES, description: 'Role of the caller', example: 'admin' })
  role!: OrganizationRole;
  @ApiProperty({
    ...PROJECT_ROLE,
    description: 'Role of the caller on all projects; null: none, or an admin',
  })
  projectRole!: Role | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
}

export class OrganizationPageResponse {
  @ApiProperty({ type: [OrganizationResponse] }) items!: OrganizationResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

export class OrganizationMemberResponse {
  @ApiProperty({ format: 'uuid' }) userId!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ example: 'Shop owner' }) name!: string;
  @ApiProperty({ enum: ORGANIZATION_ROLES }) role!: OrganizationRole;
  @ApiProperty(PROJECT_ROLE) projectRole!: Role | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({ description: 'Whether 2FA is on for the account.' }) secondFactor!: boolean;
}

export class OrganizationMemberPageResponse {
  @ApiProperty({ type: [OrganizationMemberResponse] }) items!: OrganizationMemberResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

export class OrganizationInvitationResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: ORGANIZATION_ROLES }) role!: OrganizationRole;
  @ApiProperty(PROJECT_ROLE) projectRole!: Role | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'User who sent the invitation; null: their account was deleted.',
  })
  invitedBy!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({ format: 'date-time', description: 'Time of the latest email, if the service sends email.' })
  sentAt!: Date;
  @ApiProperty({
    format: 'date-time',
    description: 'Expiry of the link; resend the invitation to renew it.',
    example: '2026-12-08T09:30:00.000Z',
  })
  expiresAt!: Date;

  static of(given: OrganizationInvitationResponse): OrganizationInvitationResponse {
    const { id, email, role, projectRole, invitedBy, createdAt, sentAt, expiresAt } = given;
    return { id, email, role, projectRole, invitedBy, createdAt, sentAt, expiresAt };
  }
}

export class OrganizationInvitationPageResponse {
  @ApiProperty({ type: [OrganizationInvitationResponse] }) items!: OrganizationInvitationResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

export class OrganizationProjectResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Shop' }) name!: string;
  @ApiProperty({ type: [String], example: ['shop.example'] }) domains!: string[];
  @ApiProperty({ enum: ['lite', 'pro', 'business', 'enterprise'], example: 'pro' }) tier!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
}

export class OrganizationProjectPageResponse {
  @ApiProperty({ type: [OrganizationProjectResponse] }) items!: OrganizationProjectResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}
