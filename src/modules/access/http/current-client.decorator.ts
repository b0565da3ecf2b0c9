import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { parse } from 'bowser';
import type { Request } from 'express';
import { MAIL_LANGUAGES, type MailLanguage } from '../../../platform/mail/domain/mail-language.js';
import type { SignInClient } from '../domain/session.js';

/** Longest part of the header that is parsed; browsers send about 120 characters. */
const USER_AGENT_CHARACTERS_MAX = 512;

/** The client of the request, for sign-in. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): SignInClient => {
  const request = context.switchToHttp().getRequest<Request>();
  const { ip, headers } = request;
  return {
    address: ip ?? '',
    cookie: headers.cookie,
    device: deviceOf(headers['user-agent']),
    language: acceptedLanguage(request),
  };
});

/** The preferred language among those of mails; null if the request names none of them. */
function acceptedLanguage(request: Request): MailLanguage | null {
  if (request.headers['accept-language'] === undefined) return null;
  return (request.acceptsLanguages([...MAIL_LANGUAGES]) || null) as MailLanguage | null;
}

/**
 * Browser and system from a `User-Agent` header, e.g. `Firefox on Linux`: enough to recognize one's
 * own session in a list, and too little to track anyone. Empty if it names neither.
 */
function deviceOf(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, USER_AGENT_CHARACTERS_MAX);
  if (!text) return '';
  const { browser, os } = parse(text);
  return [browser.name, os.name].filter(Boolean).join(' on ');
}
