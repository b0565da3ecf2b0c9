import type { FieldError } from '../../shared/field-problem.js';
import { refusalOfBearerToken, type TokenRefusal } from './bearer-token.js';
import type { EndpointExceptions } from '../../shared/address-policy.js';
import { judgeEndpointUrl } from './endpoint-policy.js';

export const AUTH_MODES = ['bearer', 'none'] as const;
export type AuthMode = (typeof AUTH_MODES)[number];

/** What a save asks for. `bearerToken` undefined keeps the stored one, null removes it. */
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

/** The stored token, as far as a save needs it. */
export interface StoredToken {
  configured: boolean;
  /** Scheme, host and port of the endpoint it was given for; null where there was no endpoint then. */
  origin: string | null;
}

export type TokenChange = { kind: 'keep' } | { kind: 'drop' } | { kind: 'replace'; token: string };

export type SettingsChange =
  { kind: 'accepted'; token: TokenChange; origin: string | null } | { kind: 'refused'; errors: FieldError[] };

/**
 * Judges a save of the forwarding settings (spec §2.2, §7). A stored token belongs to the scheme, host and
 * port that it was given for: pointing the URL elsewhere must not send it there, so there it is asked for
 * again (bearer) or dropped (no auth).
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
  if (requested.enabled && requested.endpointUrl === null && !requested.allowCustomEndpoint) {
    errors.push({
      field: 'endpointUrl',
      message: 'Enter the endpoint URL before you turn on forwarding.',
      code: 'endpoint_missing',
    });
  }
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
  if (bearerToken !== undefined && bearerToken !== null) {
    return authMode === 'none'
      ? {
          message: 'A bearer token is not used without authentication. Omit it, or choose the mode bearer.',
          code: 'token_useless',
        }
      : refusalOfBearerToken(bearerToken);
  }
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
 * Whether a save only disables: forwarding off, no new target, no new token. It is allowed on every tier, so that
 * owners who stop paying can stop forwarding and remove the token (design §6.5).
 */
export function onlyDisables(
  requested: SettingsRequest,
  stored: { endpointUrl: string | null; allowCustomEndpoint: boolean },
): boolean {
  const sameTarget = requested.endpointUrl === null || requested.endpointUrl === stored.endpointUrl;
  const addsLegacy = requested.allowCustomEndpoint === true && !stored.allowCustomEndpoint;
  return !requested.enabled && sameTarget && !addsLegacy && typeof requested.bearerToken !== 'string';
}
