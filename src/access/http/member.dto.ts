import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsIn, MaxLength } from 'class-validator';
import { type Role, ROLES } from '../domain/role.js';
import { EMAIL_CHARACTERS_MAX } from './auth.dto.js';
import { Trimmed } from '../../shared/text.decorator.js';

export class ChangeRoleBody {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;
}

export class AddMemberBody extends ChangeRoleBody {
  @ApiProperty({ format: 'email', description: 'Of somebody who has signed up.' })
  @Trimmed()
  @IsEmail({ allow_utf8_local_part: false })
  @MaxLength(EMAIL_CHARACTERS_MAX)
  email!: string;
}

export class MemberDto {
  @ApiProperty({ format: 'uuid' })
  userId!: string;

  @ApiProperty({ format: 'email' })
  email!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;
}

export class MemberPageDto {
  @ApiProperty({ type: [MemberDto] })
  items!: MemberDto[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}
