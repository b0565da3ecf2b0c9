import { createRequire } from 'node:module';

/**
 * Loads a library when it is first used, for large ones that most processes never use: each costs memory and time at
 * every start. The caller states the type.
 */
export const loadOnDemand = createRequire(import.meta.url);
