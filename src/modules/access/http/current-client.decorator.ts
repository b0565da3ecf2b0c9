import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { MAIL_LANGUAGES, type MailLanguage } from '../../mail/domain/mail-language.js';
import type { Client } from '../domain/client.js';
import { deviceOf } from './device.js';

/** The client of the request, for sign-in. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client => {
  const request = context.switchToHttp().getRequest<Request>();
  const { ip, headers } = request;
  return {
    address: ip ?? '',
    cookie: headers.cookie,
    device: deviceOf(headers['user-agent']),
    language: acceptedLanguage(request),
  };
});

/** The preferred language of those that mails have; null where the request names none of them. */
function acceptedLanguage(request: Request): MailLanguage | null {
  if (request.headers['accept-language'] === undefined) return null;
  return (request.acceptsLanguages([...MAIL_LANGUAGES]) || null) as MailLanguage | null;
}
