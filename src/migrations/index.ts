import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261120000100_core } from './Migration20261120000100_core.js';

/** Every migration, in order. Listed by hand, so that the compiled and the TypeScript program agree on names. */
export const migrations: MigrationObject[] = [
  { name: 'Migration20261120000100_core', class: Migration20261120000100_core },
];
