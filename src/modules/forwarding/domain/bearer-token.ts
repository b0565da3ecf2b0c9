import { randomBytes } from 'node:crypto';
import type { FieldProblem } from '../../../platform/errors/field-problem.js';

/** Shortest token: 32 random bytes take 43 characters in base64url (spec §5.2). */
export const BEARER_TOKEN_CHARACTERS_MIN = 43;
export const BEARER_TOKEN_CHARACTERS_MAX = 4096;

const BEARER_TOKEN_BYTES = 32;
/** `b64token` of RFC 6750 §2.1: its characters cannot end a header. */
export const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** A sentence that does not repeat the token, and its code. */
export type TokenRefusal = { message: string } & FieldProblem;

/** Why a bearer token is refused; null: it is valid. */
export function refusalOfBearerToken(token: string): TokenRefusal | null {
  if (token.length < BEARER_TOKEN_CHARACTERS_MIN || token.length > BEARER_TOKEN_CHARACTERS_MAX) {
    const [min, max] = [BEARER_TOKEN_CHARACTERS_MIN, BEARER_TOKEN_CHARACTERS_MAX];
    return { message: `The bearer token must have ${min} to ${max} characters.`, code: 'length', min, max };
  }
  return BEARER_TOKEN.test(token)
    ? null
    : {
        message: 'The bearer token can contain only letters, digits, and - . _ ~ + /, with = at the end.',
        code: 'token_characters',
      };
}

/** A new token of 32 random bytes, in base64url. */
export function createBearerToken(): string {
  return randomBytes(BEARER_TOKEN_BYTES).toString('base64url');
}
