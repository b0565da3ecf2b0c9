/**
 * Permissions of a key beyond its role. `manage_access`: members and API keys, which otherwise
 * require a session.
 */
export const KEY_SCOPES = ['manage_access'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
