import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Client } from '../domain/client.js';
import { deviceOf } from './device.js';

/** The client of the request, for sign-in. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client => {
  const { ip, headers } = context.switchToHttp().getRequest<Request>();
  return { address: ip ?? '', cookie: headers.cookie, device: deviceOf(headers['user-agent']) };
});
