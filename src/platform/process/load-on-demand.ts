import { createRequire } from 'node:module';

/**
 * Loads a library on first use, for large ones that most processes never use: each costs memory and
 * time at every start. The caller states the type.
 */
export const loadOnDemand = createRequire(import.meta.url);
