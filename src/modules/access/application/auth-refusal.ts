import { DomainError, fieldErrors, tooManyRequests } from '../../../platform/errors/domain-error.js';
import type { PasswordAttempt } from './password-attempts.js';

/** The duration of the library's account lock after ten wrong codes in a row; a challenge lasts no longer. */
const CODES_WINDOW_MS = 15 * 60 * 1000;

/** Runs an attempt; only a wrong password or code is counted. */
export async function countingFailure<Result>(
  counted: PasswordAttempt,
  make: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await make();
    await counted.refund();
    return result;
  } catch (error) {
    const refusal = toAuthRefusal(error);
    if (!isWrongSecret(refusal)) await counted.refund();
    throw refusal;
  }
}

export function isWrongSecret(refusal: unknown): boolean {
  return (
    refusal instanceof DomainError && ['invalid_credentials', 'second_factor_invalid'].includes(refusal.code)
  );
}

/** Maps the library's errors to ours; unexpected ones are returned unchanged and become a 500. */
export function toAuthRefusal(error: unknown): unknown {
  switch (codeOf(error)) {
    case 'INVALID_EMAIL_OR_PASSWORD':
    case 'INVALID_PASSWORD':
    case 'CREDENTIAL_ACCOUNT_NOT_FOUND':
      return new DomainError('invalid_credentials', 'Email or password is incorrect.');
    case 'INVALID_EMAIL':
    case 'VALIDATION_ERROR':
      return fieldErrors([{ field: 'email', message: 'Enter a valid email address.', code: 'email' }]);
    case 'UNAUTHORIZED':
      return new DomainError('authentication_required', 'Sign in first.');
    case 'INVALID_CODE':
    case 'INVALID_BACKUP_CODE':
      return codeRefused();
    case 'INVALID_TWO_FACTOR_COOKIE':
      return new DomainError(
        'authentication_required',
        'Enter your password first. The code must follow within ten minutes.',
      );
    case 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE':
    case 'ACCOUNT_TEMPORARILY_LOCKED':
      return tooManyRequests('Too many wrong codes. Wait, then sign in again.', CODES_WINDOW_MS);
    case 'TOTP_ALREADY_ENABLED':
      return new DomainError('second_factor_enabled', '2FA is already on. Turn it off first.');
    case 'TOTP_NOT_ENABLED':
    case 'TWO_FACTOR_NOT_ENABLED':
    case 'BACKUP_CODES_NOT_ENABLED':
      return secondFactorMissing();
    default:
      // The second of two concurrent uses of one recovery code.
      return statusOf(error) === 'CONFLICT' ? codeRefused() : error;
  }
}

/** The error for a code that is wrong or was used before. */
export function codeRefused(): DomainError {
  return new DomainError('second_factor_invalid', 'The code is wrong or was already used.');
}

export function secondFactorMissing(): DomainError {
  return new DomainError(
    'second_factor_missing',
    '2FA is not set up for your account. Set it up with POST /v1/auth/second-factor.',
  );
}

/** The library throws its refusals as two classes, of which it exports one; both are named `APIError`. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'APIError' || !('body' in error)) return undefined;
  const body: unknown = error.body;
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && error.name === 'APIError' && 'status' in error ? error.status : undefined;
}
