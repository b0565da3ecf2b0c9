import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsEmail, IsString, Length, MaxLength } from 'class-validator';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../domain/password.js';
import { IfGiven } from '../../shared/if-given.decorator.js';
import { TextLine, Trimmed } from '../../shared/text.decorator.js';

/** Longest address that can be delivered to (RFC 5321). */
export const EMAIL_CHARACTERS_MAX = 254;
const USER_NAME_CHARACTERS_MAX = 120;

export class SignInBody {
  @ApiProperty({ format: 'email', maxLength: EMAIL_CHARACTERS_MAX })
  @Trimmed()
  @IsEmail({ allow_utf8_local_part: false })
  @MaxLength(EMAIL_CHARACTERS_MAX)
  email!: string;

  @ApiProperty({ maxLength: PASSWORD_CHARACTERS_MAX })
  @IsString()
  @MaxLength(PASSWORD_CHARACTERS_MAX)
  password!: string;

  @ApiPropertyOptional({ default: true, description: 'false: the cookie ends with the browser session.' })
  @IfGiven()
  @IsBoolean()
  rememberMe?: boolean;
}

export class SignUpBody extends SignInBody {
  @ApiProperty({ minLength: PASSWORD_CHARACTERS_MIN, maxLength: PASSWORD_CHARACTERS_MAX })
  @IsString()
  @Length(PASSWORD_CHARACTERS_MIN, PASSWORD_CHARACTERS_MAX)
  declare password: string;

  @ApiPropertyOptional({ description: 'Shown to other members; by default the e-mail before its @.' })
  @IfGiven()
  @TextLine({ min: 1, max: USER_NAME_CHARACTERS_MAX })
  name?: string;
}

export class ChangePasswordBody {
  @ApiProperty()
  @IsString()
  @MaxLength(PASSWORD_CHARACTERS_MAX)
  currentPassword!: string;

  @ApiProperty({ minLength: PASSWORD_CHARACTERS_MIN, maxLength: PASSWORD_CHARACTERS_MAX })
  @IsString()
  @Length(PASSWORD_CHARACTERS_MIN, PASSWORD_CHARACTERS_MAX)
  newPassword!: string;
}

export class UserDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ format: 'email' })
  email!: string;
}

export class SignedInDto {
  @ApiProperty({ type: UserDto })
  user!: UserDto;
}

export class SessionTimesDto {
  @ApiProperty({ format: 'date-time' })
  expiresAt!: Date;
}

export class SessionDto extends SignedInDto {
  @ApiProperty({ type: SessionTimesDto })
  session!: SessionTimesDto;
}

export class SignedOutDto {
  @ApiProperty({ enum: [true] })
  success!: true;
}
