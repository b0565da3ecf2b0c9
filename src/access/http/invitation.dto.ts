import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Length } from 'class-validator';
import { IfGiven } from '../../shared/if-given.decorator.js';
import { TextLine } from '../../shared/text.decorator.js';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../domain/password.js';
import { type Role, ROLES } from '../domain/role.js';
import { TokenBody, USER_NAME_CHARACTERS_MAX, UserDto } from './auth.dto.js';
import { EmailAddress } from './email.decorator.js';

export class InviteBody {
  @EmailAddress('Whether it has an account or not.')
  email!: string;

  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;
}

export class InvitationDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'email' })
  email!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The user who invited; null: nobody known, or her account is gone.',
  })
  invitedBy!: string | null;

  @ApiProperty({
    description: 'Whether the owner who sent it becomes an editor when it is accepted: POST …/ownership.',
  })
  transfersOwnership!: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time', description: 'Of the newest mail, where the service sends mail.' })
  sentAt!: Date;

  @ApiProperty({ format: 'date-time', description: 'The link opens nothing from then on; send it again.' })
  expiresAt!: Date;

  static of(given: Omit<InvitationDto, 'invitedBy'> & { invitedBy?: string | null }): InvitationDto {
    const { id, email, role, invitedBy = null, transfersOwnership, createdAt, sentAt, expiresAt } = given;
    return { id, email, role, invitedBy, transfersOwnership, createdAt, sentAt, expiresAt };
  }
}

export class InvitationPageDto {
  @ApiProperty({ type: [InvitationDto] })
  items!: InvitationDto[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}

export class ShownInvitationDto {
  @ApiProperty()
  projectName!: string;

  @ApiProperty({ format: 'email' })
  email!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ description: 'true: sign in with the address; false: choose a password.' })
  accountExists!: boolean;

  @ApiProperty({ format: 'date-time' })
  expiresAt!: Date;
}

export class AcceptInvitationBody extends TokenBody {
  @ApiPropertyOptional({
    minLength: PASSWORD_CHARACTERS_MIN,
    maxLength: PASSWORD_CHARACTERS_MAX,
    description: 'Where the address has no account; whoever has one signs in before.',
  })
  @IfGiven()
  @IsString()
  @Length(PASSWORD_CHARACTERS_MIN, PASSWORD_CHARACTERS_MAX)
  password?: string;

  @ApiPropertyOptional({ description: 'Of a new account; by default the e-mail before its @.' })
  @IfGiven()
  @TextLine({ min: 1, max: USER_NAME_CHARACTERS_MAX })
  name?: string;
}

export class AcceptedDto {
  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ type: UserDto, nullable: true, description: 'The new account; null for who was signed in.' })
  user!: UserDto | null;
}
