import { randomBytes } from 'node:crypto';
import type { FieldError, FieldProblem } from '../../../platform/errors/field-problem.js';
import type { EndpointExceptions } from '../../../platform/network/address-policy.js';
import { judgeEndpointUrl } from '../../../platform/delivery/domain/endpoint-policy.js';

/** Shortest token: 32 random bytes take 43 characters in base64url (spec §5.2). */
export const BEARER_TOKEN_CHARACTERS_MIN = 43;
export const BEARER_TOKEN_CHARACTERS_MAX = 4096;

const BEARER_TOKEN_BYTES = 32;
/** `b64token` of RFC 6750 §2.1: its characters cannot end a header. */
export const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** A sentence that does not repeat the token, and its code. */
type TokenRefusal = { message: string } & FieldProblem;

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

export const AUTH_MODES = ['bearer', 'none'] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

/** A request to save the settings. `bearerToken` undefined keeps the stored one, null removes it. */
export interface SettingsRequest {
  enabled: boolean;
  endpointUrl: string | null;
  authMode: AuthMode;
  bearerToken?: string | null | undefined;
  /** Forward to the endpoint of the request while the project has none; undefined: no. */
  allowCustomEndpoint?: boolean | undefined;
  /** Notify the receiver of erased records; undefined keeps the stored value. */
  forwardErasures?: boolean | undefined;
  /** Retry failed deliveries automatically; undefined, or no hours, keeps the stored value. */
  retryFailures?: { enabled: boolean; hours?: number | undefined } | undefined;
  /** Store the beginning of the response body with failed attempts; undefined keeps the stored value. */
  keepResponseBodies?: boolean | undefined;
}

/** A save as the API accepts it: turning forwarding off needs no endpoint and no mode. */
export type SaveSettingsRequest = Omit<SettingsRequest, 'endpointUrl' | 'authMode'> & {
  endpointUrl?: string | null | undefined;
  authMode?: AuthMode | undefined;
};

/** Adds the stored endpoint, mode and use of `custom_endpoint` to a save that omits them. */
export function completeRequest(
  given: SaveSettingsRequest,
  stored: { endpointUrl: string | null; authMode: AuthMode; allowCustomEndpoint: boolean },
): SettingsRequest {
  const { endpointUrl = stored.endpointUrl, authMode = stored.authMode } = given;
  const omitted = given.endpointUrl === undefined ? stored.allowCustomEndpoint : false;
  return { ...given, endpointUrl, authMode, allowCustomEndpoint: given.allowCustomEndpoint ?? omitted };
}

/**
 * Whether a save keeps endpoint, mode and token. It is then not judged: an owner must be able to
 * turn forwarding off after the operator disallowed the endpoint.
 */
export function keepsTarget({ enabled, endpointUrl, authMode, bearerToken }: SaveSettingsRequest): boolean {
  return !enabled && endpointUrl === undefined && authMode === undefined && bearerToken === undefined;
}

/** The part of the stored token that a save needs. */
export interface StoredToken {
  configured: boolean;
  /** Scheme, host and port of the endpoint that it was entered for; null: there was no endpoint. */
  origin: string | null;
}

export type TokenChange = { kind: 'keep' } | { kind: 'drop' } | { kind: 'replace'; token: string };

export type SettingsChange =
  { kind: 'accepted'; token: TokenChange; origin: string | null } | { kind: 'refused'; errors: FieldError[] };

/**
 * Judges a save of the forwarding settings (spec §2.2, §7). A stored token belongs to the scheme,
 * host and port that it was entered for. If the URL changes to another origin, the token is
 * required again (bearer) or dropped (no auth), so that it is never sent there.
 */
export function judgeSettingsChange(
  requested: SettingsRequest,
  stored: StoredToken,
  exceptions: EndpointExceptions,
): SettingsChange {
  const errors: FieldError[] = [];
  const endpoint =
    requested.endpointUrl === null ? null : judgeEndpointUrl(requested.endpointUrl, exceptions);
  if (endpoint?.kind === 'refused')
    errors.push({ field: 'endpointUrl', message: endpoint.reason, ...endpoint.problem });
  if (requested.enabled && requested.endpointUrl === null && !requested.allowCustomEndpoint)
    errors.push({
      field: 'endpointUrl',
      message: 'Enter the endpoint URL before you turn on forwarding.',
      code: 'endpoint_missing',
    });
  const origin = endpoint?.kind === 'allowed' ? endpoint.url.origin : null;
  const moved = origin !== null && stored.configured && stored.origin !== origin;
  const tokenRefusal = refusalOfToken(requested, {
    stored,
    moved,
    isEndpointAllowed: endpoint?.kind === 'allowed',
  });
  if (tokenRefusal) errors.push({ field: 'bearerToken', ...tokenRefusal });
  if (errors.length > 0) return { kind: 'refused', errors };
  return { kind: 'accepted', origin, token: tokenChange(requested, moved) };
}

function refusalOfToken(
  requested: SettingsRequest,
  { stored, moved, isEndpointAllowed }: { stored: StoredToken; moved: boolean; isEndpointAllowed: boolean },
): TokenRefusal | null {
  const { authMode, bearerToken } = requested;
  if (bearerToken !== undefined && bearerToken !== null)
    return authMode === 'none'
      ? {
          message: 'A bearer token is not used without authentication. Omit it, or choose the mode bearer.',
          code: 'token_useless',
        }
      : refusalOfBearerToken(bearerToken);
  if (authMode === 'none' || !isEndpointAllowed) return null;
  const code = 'token_missing';
  if (bearerToken === null) return { message: 'Enter a bearer token, or choose the mode none.', code };
  if (!stored.configured) return { message: 'Enter a bearer token. None is stored yet.', code };
  if (!moved) return null;
  return {
    message: 'Enter the bearer token again, because the endpoint URL points to a different host.',
    code: 'token_required_again',
  };
}

function tokenChange({ bearerToken }: SettingsRequest, moved: boolean): TokenChange {
  if (bearerToken === null) return { kind: 'drop' };
  if (bearerToken !== undefined) return { kind: 'replace', token: bearerToken };
  return moved ? { kind: 'drop' } : { kind: 'keep' };
}

/**
 * Whether a save only disables: forwarding off, no new target, no new token. Allowed on every tier,
 * so that owners who stop paying can stop forwarding and remove the token (design §6.5).
 */
export function onlyDisables(
  requested: SettingsRequest,
  stored: { endpointUrl: string | null; allowCustomEndpoint: boolean },
): boolean {
  const sameTarget = requested.endpointUrl === null || requested.endpointUrl === stored.endpointUrl;
  const addsLegacy = requested.allowCustomEndpoint === true && !stored.allowCustomEndpoint;
  return !requested.enabled && sameTarget && !addsLegacy && typeof requested.bearerToken !== 'string';
}
