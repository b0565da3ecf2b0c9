import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { type Role, ROLES } from '../domain/role.js';

export class ChangeRoleBody {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;
}

export class MemberResponse {
  @ApiProperty({ format: 'uuid' })
  userId!: string;

  @ApiProperty({ format: 'email' })
  email!: string;

  @ApiProperty({ example: 'Shop owner' })
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ description: 'Whether 2FA is on for the account; see the sign-in policy.' })
  secondFactor!: boolean;
}

export class MemberPageResponse {
  @ApiProperty({ type: [MemberResponse] })
  items!: MemberResponse[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}
