import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Length } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../domain/account.js';
import { ORGANIZATION_ROLES, type OrganizationRole } from '../../organizations/domain/organization.js';
import { type Role, ROLES } from '../domain/role.js';
import { EmailAddress } from '../email-address.decorator.js';
import { TokenBody, USER_NAME_CHARACTERS_MAX, UserResponse } from './auth.dto.js';

export class InviteBody {
  @EmailAddress('With or without an account.')
  email!: string;

  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;
}

export class InvitationResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: ROLES }) role!: Role;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'User who sent the invitation; null: unknown, or their account was deleted.',
  })
  invitedBy!: string | null;
  @ApiProperty({
    description: 'Whether the inviting owner becomes an editor when it is accepted (POST …/ownership).',
    example: false,
  })
  transfersOwnership!: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({ format: 'date-time', description: 'Time of the latest email, if the service sends email.' })
  sentAt!: Date;
  @ApiProperty({
    format: 'date-time',
    description: 'Expiry of the link; resend the invitation to renew it.',
    example: '2026-12-08T09:30:00.000Z',
  })
  expiresAt!: Date;

  static of(
    given: Omit<InvitationResponse, 'invitedBy'> & { invitedBy?: string | null },
  ): InvitationResponse {
    const { id, email, role, invitedBy = null, transfersOwnership, createdAt, sentAt, expiresAt } = given;
    return { id, email, role, invitedBy, transfersOwnership, createdAt, sentAt, expiresAt };
  }
}

export class InvitationPageResponse {
  @ApiProperty({ type: [InvitationResponse] }) items!: InvitationResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

const JOINED_ROLES = [...ROLES, ...ORGANIZATION_ROLES];

const ProjectRoleProperty = (): PropertyDecorator =>
  ApiProperty({
    type: String,
    enum: ROLES,
    nullable: true,
    description: 'Role on all projects of the organization; null: none, an admin, or a single project.',
    example: null,
  });

/** The project or the organization that a person joined or can join. */
export class JoinedResponse {
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null: an organization.' })
  projectId!: string | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'null: a project.',
    example: null,
  })
  organizationId!: string | null;
  @ApiProperty({ enum: JOINED_ROLES, description: 'Role in the project or organization.', example: 'viewer' })
  role!: Role | OrganizationRole;
  @ProjectRoleProperty() projectRole!: Role | null;
}

export class ShownInvitationResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null: it is to an organization.',
    example: 'Shop',
  })
  projectName!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'null: it is to a project.', example: null })
  organizationName!: string | null;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: JOINED_ROLES, example: 'viewer' }) role!: Role | OrganizationRole;
  @ProjectRoleProperty() projectRole!: Role | null;
  @ApiProperty({ description: 'true: sign in with this address; false: choose a password.' })
  accountExists!: boolean;
  @ApiProperty({ format: 'date-time', example: '2026-12-08T09:30:00.000Z' }) expiresAt!: Date;
}

export class AcceptInvitationBody extends TokenBody {
  @ApiPropertyOptional({
    minLength: PASSWORD_CHARACTERS_MIN,
    maxLength: PASSWORD_CHARACTERS_MAX,
    description: 'Password for a new account. If the address has an account, sign in first instead.',
  })
  @IfGiven()
  @IsString()
  @Length(PASSWORD_CHARACTERS_MIN, PASSWORD_CHARACTERS_MAX)
  password?: string;

  @ApiPropertyOptional({
    description: 'Name for a new account; defaults to the part of the email before the @.',
  })
  @IfGiven()
  @TextLine({ min: 1, max: USER_NAME_CHARACTERS_MAX })
  name?: string;
}

export class AcceptedResponse extends JoinedResponse {
  @ApiProperty({
    type: UserResponse,
    nullable: true,
    description: 'The new account; null for a signed-in user.',
  })
  user!: UserResponse | null;
}
