import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { ProblemFilter } from '../../../platform/http/problem.filter.js';
import type { OAuthErrorCode } from '../domain/personal-token.js';

/** The error of a refused member; of any other, `invalid_request`. */
const CODES: Record<string, OAuthErrorCode> = {
  client_id: 'invalid_client',
  grant_type: 'unsupported_grant_type',
  scope: 'invalid_scope',
};

/** An error as OAuth clients expect it: the only errors of the API that are not problem documents. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'OAuthError';
  }
}

/** Sends errors about the request in the format of RFC 6749, section 5.2; others are problem documents. */
@Catch(OAuthError, DomainError)
export class OAuthErrorFilter implements ExceptionFilter<OAuthError | DomainError> {
  private readonly problems = new ProblemFilter();

  catch(error: OAuthError | DomainError, host: ArgumentsHost): void {
    const oauth = error instanceof OAuthError ? error : fromFields(error);
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    if (oauth === null) return void this.problems.answer(error, http.getRequest<Request>(), response);
    response.status(HttpStatus.BAD_REQUEST).json({ error: oauth.code, error_description: oauth.message });
  }
}

function fromFields(error: DomainError): OAuthError | null {
  if (error.code !== 'validation_failed') return null;
  const field = error.details.errors?.[0]?.field ?? '';
  const code = Object.hasOwn(CODES, field) ? CODES[field] : undefined;
  return new OAuthError(code ?? 'invalid_request', error.message);
}
