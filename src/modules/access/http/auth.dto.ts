import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, Length, Matches, MaxLength } from 'class-validator';
import { coded } from '../../../platform/errors/field-problem.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { MembersRule } from '../../../platform/openapi/schema-of-checks.js';
import { TOKEN } from '../domain/account-link.js';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../domain/account.js';
import { EmailAddress } from '../email-address.decorator.js';

export const USER_NAME_CHARACTERS_MAX = 120;

export class EmailBody {
  @EmailAddress()
  email!: string;
}

export class SignInBody extends EmailBody {
  @ApiProperty({ maxLength: PASSWORD_CHARACTERS_MAX })
  @IsString()
  @MaxLength(PASSWORD_CHARACTERS_MAX)
  password!: string;

  @ApiPropertyOptional({ default: true, description: 'false: the cookie ends with the browser session.' })
  @IfGiven()
  @IsBoolean()
  rememberMe?: boolean;
}

/** The body that a link's page posts: the token of the link, and the form's fields. */
export class TokenBody {
  @ApiProperty({ description: 'Value of `token=` in the emailed link.' })
  @IsString()
  @Matches(TOKEN, {
    message: '$property must be the token of an emailed link.',
    context: coded('link_token'),
  })
  token!: string;
}

export class ConfirmEmailBody extends TokenBody {
  @ApiProperty({ maxLength: PASSWORD_CHARACTERS_MAX, description: 'The password chosen at sign-up.' })
  @IsString()
  @MaxLength(PASSWORD_CHARACTERS_MAX)
  password!: string;

  @ApiPropertyOptional({ default: true, description: 'false: the cookie ends with the browser session.' })
  @IfGiven()
  @IsBoolean()
  rememberMe?: boolean;
}

export class ResetPasswordBody extends TokenBody {
  @ApiProperty({ minLength: PASSWORD_CHARACTERS_MIN, maxLength: PASSWORD_CHARACTERS_MAX })
  @IsString()
  @Length(PASSWORD_CHARACTERS_MIN, PASSWORD_CHARACTERS_MAX)
  newPassword!: string;
}

export class SignUpBody extends EmailBody {
  @ApiProperty({ minLength: PASSWORD_CHARACTERS_MIN, maxLength: PASSWORD_CHARACTERS_MAX })
  @IsString()
  @Length(PASSWORD_CHARACTERS_MIN, PASSWORD_CHARACTERS_MAX)
  password!: string;

  @ApiPropertyOptional({
    description: 'Shown to other members; defaults to the part of the email before the @.',
  })
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

export class PasswordBody {
  @ApiProperty({ maxLength: PASSWORD_CHARACTERS_MAX, description: 'Current password of the account.' })
  @IsString()
  @MaxLength(PASSWORD_CHARACTERS_MAX)
  password!: string;
}

export class ChangeEmailBody extends PasswordBody {
  @EmailAddress()
  newEmail!: string;
}

export class ConfirmNewEmailBody extends TokenBody {
  @ApiProperty({ maxLength: PASSWORD_CHARACTERS_MAX, description: 'Current password of the account.' })
  @IsString()
  @MaxLength(PASSWORD_CHARACTERS_MAX)
  password!: string;
}

export class UserResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Shop owner' }) name!: string;
  @ApiProperty({ format: 'email' }) email!: string;

  static of({ id, name, email }: UserResponse): UserResponse {
    return { id, name, email };
  }
}

export class SignedInResponse {
  @ApiProperty({ type: UserResponse }) user!: UserResponse;
}

export class SessionTimesResponse {
  @ApiProperty({ format: 'date-time', example: '2026-12-08T09:30:00.000Z' }) expiresAt!: Date;
}

export class SessionResponse extends SignedInResponse {
  @ApiProperty({ type: SessionTimesResponse }) session!: SessionTimesResponse;
}

export class SignedOutResponse {
  @ApiProperty({ enum: [true] }) success!: true;
}

export class EmailSentResponse {
  @ApiProperty({
    enum: ['check_your_mail'],
    description: 'The same whether or not the address has an account.',
  })
  status!: 'check_your_mail';
}

/** The same response for every address (docs/accounts.md). */
export const EMAIL_SENT: EmailSentResponse = { status: 'check_your_mail' };

/** Six digits, as authenticators show them. */
const CODE = /^\d{6}$/;
/** Twice five characters with a dash between them. */
const RECOVERY_CODE = /^[A-Za-z0-9]{5}-[A-Za-z0-9]{5}$/;

export class CodeBody {
  @ApiProperty({ pattern: CODE.source, example: '204816', description: 'Code from the authenticator.' })
  @IsString()
  @Matches(CODE, { message: '$property must be six digits.', context: coded('six_digits') })
  code!: string;
}

/** Exactly one of the two. */
@MembersRule({ oneOf: [{ required: ['code'] }, { required: ['recoveryCode'] }] })
export class SecondFactorBody {
  @ApiPropertyOptional({
    pattern: CODE.source,
    example: '204816',
    description: 'Code from the authenticator; or send recoveryCode.',
  })
  @IfGiven()
  @IsString()
  @Matches(CODE, { message: '$property must be six digits.', context: coded('six_digits') })
  code?: string;

  @ApiPropertyOptional({
    pattern: RECOVERY_CODE.source,
    example: 'a1B2c-D3e4F',
    description: 'One of the recovery codes; each works once.',
  })
  @IfGiven()
  @IsString()
  @Matches(RECOVERY_CODE, {
    message: '$property must be a recovery code, e.g. a1B2c-D3e4F.',
    context: coded('recovery_code'),
  })
  recoveryCode?: string;
}

export class RecoveryCodesResponse {
  @ApiProperty({
    type: [String],
    description: 'Each code works once in place of an authenticator code. Returned only once.',
    example: ['a1B2c-D3e4F', 'g5H6i-J7k8L'],
  })
  recoveryCodes!: string[];
}

export class BegunSecondFactorResponse extends RecoveryCodesResponse {
  @ApiProperty({
    description: 'otpauth:// URI to show as a QR code. It contains the secret and is returned only once.',
    example: 'otpauth://totp/Service:owner%40shop.example?secret=JBSWY3DPEHPK3PXP&issuer=Service',
  })
  totpUri!: string;
}

export class SecondFactorNeededResponse {
  @ApiProperty({
    enum: [true],
    description: 'Not signed in yet: continue with POST /v1/auth/sign-in/second-factor.',
  })
  secondFactorRequired!: true;
}

export class SignInPolicyBody {
  @ApiProperty({ description: 'Whether members need 2FA to access the project.' })
  @IsBoolean()
  secondFactorRequired!: boolean;
}
