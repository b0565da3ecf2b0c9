/** What a key may do beyond its role. `manage_access`: members and API keys, which are else a person's alone. */
export const KEY_SCOPES = ['manage_access'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
