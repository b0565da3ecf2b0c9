import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type { TierChangeSchema } from './tier-change.entity.js';

type LicensingTables = TablesOf<typeof TierChangeSchema>;

/** Typed queries over the log of tier changes; subscriptions are read as entities. */
export const licensingTables = (em: EntityManager): Kysely<LicensingTables> =>
  typedTables<LicensingTables>(em);
