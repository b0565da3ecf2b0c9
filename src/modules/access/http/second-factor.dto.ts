import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, Matches } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { coded } from '../../../platform/errors/field-problem.js';
import { MembersRule } from '../../../platform/openapi/schema-of-checks.js';

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
