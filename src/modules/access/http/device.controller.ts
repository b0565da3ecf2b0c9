import { Body, Controller, Header, HttpCode, Post, UseFilters } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { problemExample } from '../../../platform/openapi/problem-examples.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { CurrentActor, SessionOnly, SignedIn } from '../access.decorators.js';
import { DeviceAuthorizationService } from '../application/device-authorization.service.js';
import { PASSWORD_CHARACTERS_MAX } from '../domain/account.js';
import { TOKEN as CODE } from '../domain/account-link.js';
import { type Actor, requireUser } from '../domain/actor.js';
import {
  CLIENT_ID,
  DEVICE_CODE_SECONDS,
  DEVICE_GRANT,
  DEVICE_NAME_CHARACTERS_MAX,
  OAUTH_ERRORS,
  type OAuthErrorCode,
  POLL_SECONDS,
  TOKEN_LIFE_MS,
  TOKEN_SCOPE,
} from '../domain/personal-token.js';
import type { SignInClient } from '../domain/session.js';
import { CurrentClient } from './current-client.decorator.js';
import { OAuthError, OAuthErrorFilter } from './oauth-error.filter.js';

/** The page where a person types the code. */
const PAGE = '/device';
const USER_CODE_CHARACTERS_MAX = 20;

class RequestDeviceCodeBody {
  @ApiProperty({ enum: [CLIENT_ID] })
  @IsIn([CLIENT_ID])
  client_id!: typeof CLIENT_ID;

  @ApiProperty({
    minLength: 1,
    maxLength: DEVICE_NAME_CHARACTERS_MAX,
    description: 'Name of the machine, which the person sees',
  })
  @TextLine({ min: 1, max: DEVICE_NAME_CHARACTERS_MAX })
  device_name!: string;

  @ApiPropertyOptional({ enum: [TOKEN_SCOPE], description: "The person's roles in their projects" })
  @IfGiven()
  @IsIn([TOKEN_SCOPE])
  scope?: typeof TOKEN_SCOPE;
}

class PollDeviceBody {
  @ApiProperty({ enum: [DEVICE_GRANT] })
  @IsIn([DEVICE_GRANT])
  grant_type!: typeof DEVICE_GRANT;

  @ApiProperty({ pattern: CODE.source })
  @Matches(CODE, { message: 'device_code is not a device code.' })
  device_code!: string;

  @ApiProperty({ enum: [CLIENT_ID] })
  @IsIn([CLIENT_ID])
  client_id!: typeof CLIENT_ID;
}

class DeviceCodeResponse {
  @ApiProperty({ example: 'q7Vn2cYt0h9mZr4Xs8Kd1LfPw5Bg6Jt3Ae_Uo-RiCyM' }) device_code!: string;
  @ApiProperty({ example: 'BCDF-GHJK' }) user_code!: string;
  @ApiProperty({ format: 'uri', example: 'https://consent.example.com/device' }) verification_uri!: string;
  @ApiProperty({ format: 'uri', example: 'https://consent.example.com/device?code=BCDF-GHJK' })
  verification_uri_complete!: string;
  @ApiProperty({ type: 'integer', example: DEVICE_CODE_SECONDS }) expires_in!: number;
  @ApiProperty({ type: 'integer', example: POLL_SECONDS, description: 'Seconds between two polls' })
  interval!: number;
}

class DeviceTokenResponse {
  @ApiProperty({ example: 'cp_q7Vn2cYt0h9mZr4Xs8Kd1LfPw5Bg6Jt3Ae_Uo-RiCyM' }) access_token!: string;
  @ApiProperty({ enum: ['Bearer'] }) token_type!: 'Bearer';
  @ApiProperty({ type: 'integer', example: TOKEN_LIFE_MS / 1_000 }) expires_in!: number;
  @ApiProperty({ enum: [TOKEN_SCOPE] }) scope!: typeof TOKEN_SCOPE;
}

const OAUTH_REFUSAL = ApiResponse({
  status: 400,
  description: 'An error of RFC 8628, or `body_not_json`',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error', 'error_description'],
        properties: {
          error: { type: 'string', enum: [...OAUTH_ERRORS] },
          error_description: { type: 'string' },
        },
      },
      example: { error: 'authorization_pending', error_description: 'Nobody has approved the code yet.' },
    },
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      example: problemExample(400, '`body_not_json`', '/v1/auth/device/token'),
    },
  },
});

const SENTENCES: Partial<Record<OAuthErrorCode, string>> = {
  authorization_pending: 'Nobody has approved the code yet.',
  slow_down: 'Wait longer between two polls.',
  access_denied: 'The person denied the request.',
  expired_token: 'The code has expired. Request a new one.',
  invalid_grant: 'The device code is unknown or was already used.',
};

/**
 * Tokens for the command line by device code (RFC 8628). Bodies are JSON, or
 * `application/x-www-form-urlencoded` as in the RFC; names and errors are those of the RFC.
 */
@ApiTags('Sign-in')
@UseFilters(OAuthErrorFilter)
@Controller('v1/auth/device')
export class DeviceController {
  private readonly baseUrl: string;

  constructor(
    private readonly devices: DeviceAuthorizationService,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.baseUrl = resolveBaseUrl(service);
  }

  /** 429 after 30 in ten minutes from one network. */
  @Public()
  @ApiBodyExample({ client_id: CLIENT_ID, device_name: 'laptop', scope: TOKEN_SCOPE })
  @ApiOperation({ summary: 'Request a device code' })
  @ApiOkResponse({ type: DeviceCodeResponse })
  @OAUTH_REFUSAL
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('code')
  async request(
    @Body() { device_name: name }: RequestDeviceCodeBody,
    @CurrentClient() { address }: SignInClient,
  ): Promise<DeviceCodeResponse> {
    const { deviceCode, userCode, expiresIn, interval } = await this.devices.request(name, address);
    const page = `${this.baseUrl}${PAGE}`;
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${userCode}`,
      expires_in: expiresIn,
      interval,
    };
  }

  /**
   * Until a person has decided, 400 `authorization_pending`; 400 `slow_down` for a poll before the interval has passed,
   * which then is five seconds longer. The token is returned once, and is valid for 90 days.
   */
  @Public()
  @ApiBodyExample({
    grant_type: DEVICE_GRANT,
    device_code: 'q7Vn2cYt0h9mZr4Xs8Kd1LfPw5Bg6Jt3Ae_Uo-RiCyM',
    client_id: CLIENT_ID,
  })
  @ApiOperation({ summary: 'Poll for the token of a device code' })
  @ApiOkResponse({ type: DeviceTokenResponse })
  @OAUTH_REFUSAL
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @Post('token')
  async poll(
    @Body() { device_code: deviceCode }: PollDeviceBody,
    @CurrentClient() { address }: SignInClient,
  ): Promise<DeviceTokenResponse> {
    const result = await this.devices.poll(deviceCode, address);
    if (result.kind === 'refused') throw new OAuthError(result.error, SENTENCES[result.error] ?? '');
    return {
      access_token: result.token,
      token_type: 'Bearer',
      expires_in: TOKEN_LIFE_MS / 1_000,
      scope: TOKEN_SCOPE,
    };
  }
}

class UserCodeBody {
  @ApiProperty({
    minLength: 1,
    maxLength: USER_CODE_CHARACTERS_MAX,
    description: 'The code that the machine shows',
  })
  @TextLine({ min: 1, max: USER_CODE_CHARACTERS_MAX })
  userCode!: string;
}

class ApproveDeviceBody extends UserCodeBody {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: PASSWORD_CHARACTERS_MAX,
    description: 'Needed where `signedInRecently` is false',
  })
  @IfGiven()
  @TextLine({ min: 1, max: PASSWORD_CHARACTERS_MAX })
  password?: string;
}

class DeviceResponse {
  @ApiProperty({ example: 'laptop' }) deviceName!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: '203.0.113.0',
    description: 'Network of the machine',
  })
  network!: string | null;
  @ApiProperty({ enum: [TOKEN_SCOPE] }) scope!: typeof TOKEN_SCOPE;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:40:00.000Z' }) expiresAt!: Date;
  @ApiProperty({ description: 'false: approving needs the password.' }) signedInRecently!: boolean;
}

/** The decision of a person about a machine's request. A wrong code counts: at most ten an hour. */
@ApiTags('Sign-in')
@SignedIn()
@Controller('v1/auth/device')
export class DeviceDecisionController {
  constructor(private readonly devices: DeviceAuthorizationService) {}

  /** 404 `device_code_not_found`: the code is unknown, was used, or is more than ten minutes old. */
  @SessionOnly()
  @ApiBodyExample({ userCode: 'BCDF-GHJK' })
  @ApiOperation({ summary: 'Read the request of a device' })
  @ApiResponse({ status: 404, description: '`device_code_not_found`' })
  @ApiOkResponse({ type: DeviceResponse })
  @HttpCode(200)
  @Post('read')
  async read(@CurrentActor() actor: Actor, @Body() { userCode }: UserCodeBody): Promise<DeviceResponse> {
    const device = await this.devices.read(requireUser(actor), userCode);
    const { deviceName, network, createdAt, expiresAt, signedInRecently } = device;
    return { deviceName, network, scope: TOKEN_SCOPE, createdAt, expiresAt, signedInRecently };
  }

  /**
   * The machine gets a personal token of the caller at its next poll. 404 `device_code_not_found`, 403
   * `recent_sign_in_required` for a session that is more than an hour old, without the password, and
   * `email_not_confirmed`.
   */
  @SessionOnly()
  @ApiBodyExample({ userCode: 'BCDF-GHJK' })
  @ApiOperation({ summary: 'Approve the request of a device' })
  @ApiResponse({ status: 404, description: '`device_code_not_found`' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Post('approve')
  async approve(@CurrentActor() actor: Actor, @Body() body: ApproveDeviceBody): Promise<void> {
    await this.devices.approve(requireUser(actor), body);
  }

  /** 404 `device_code_not_found`. */
  @SessionOnly()
  @ApiBodyExample({ userCode: 'BCDF-GHJK' })
  @ApiOperation({ summary: 'Deny the request of a device' })
  @ApiResponse({ status: 404, description: '`device_code_not_found`' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Post('deny')
  async deny(@CurrentActor() actor: Actor, @Body() { userCode }: UserCodeBody): Promise<void> {
    await this.devices.deny(requireUser(actor), userCode);
  }
}
