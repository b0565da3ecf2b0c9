import { ApiProperty } from '@nestjs/swagger';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import type { ProxyView } from '../application/proxy-secret.service.js';
import { FORMER_VALID_HOURS_DEFAULT, FORMER_VALID_HOURS_MAX } from '../domain/proxy-secret.js';
import { PROXY_STATES, type ProxyState } from '../domain/proxy-state.js';

const date = { type: String, format: 'date-time', nullable: true } as const;

export class CreateProxySecretBody {
  @ApiProperty({
    minimum: 0,
    maximum: FORMER_VALID_HOURS_MAX,
    default: FORMER_VALID_HOURS_DEFAULT,
    required: false,
    description: 'Hours the former secret stays valid; 0: it expires immediately.',
  })
  @IfGiven()
  @Integer({ min: 0, max: FORMER_VALID_HOURS_MAX })
  formerValidHours: number = FORMER_VALID_HOURS_DEFAULT;
}

export class NewProxySecretResponse {
  @ApiProperty({ example: 'fps_6yKkYw0sXh9uO2a1l8mC4vB7nQ3pR5tZ0dEwFgHjKlM' }) secret!: string;
  @ApiProperty({ ...date, description: 'Until when the former secret is valid too; null: there is none' })
  formerValidUntil!: Date | null;
}

export class ProxyResponse {
  @ApiProperty({
    enum: PROXY_STATES,
    description:
      'unproven: requests arrive without a valid secret, so all visitors share one rate limit and the unknown region',
    example: 'proven',
  })
  state!: ProxyState;
  @ApiProperty({ ...date, description: 'null: there is no secret', example: '2026-11-28T13:40:00.000Z' })
  secretCreatedAt!: Date | null;
  @ApiProperty({ ...date, description: 'Until when the former secret is valid too; null: there is none' })
  formerValidUntil!: Date | null;
  @ApiProperty({
    ...date,
    description: 'Last request with a valid secret, to the minute',
    example: '2026-11-28T14:05:00.000Z',
  })
  provenAt!: Date | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Host named by the last such request',
    example: 'shop.example',
  })
  host!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Path prefix named by the last such request',
    example: '/consent',
  })
  prefix!: string | null;
  @ApiProperty({ ...date, description: 'Last request without a valid secret, to the minute' })
  unprovenAt!: Date | null;

  static of(view: ProxyView): ProxyResponse {
    const { state, secretCreatedAt, formerValidUntil, provenAt, host, prefix, unprovenAt } = view;
    return { state, secretCreatedAt, formerValidUntil, provenAt, host, prefix, unprovenAt };
  }
}
