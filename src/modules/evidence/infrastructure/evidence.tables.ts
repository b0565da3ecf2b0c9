import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type { evidenceEntities } from './evidence.entities.js';

type EvidenceTables = TablesOf<(typeof evidenceEntities)[number]>;

/** Typed queries over evidence's tables. */
export const evidenceTables = (em: EntityManager): Kysely<EvidenceTables> => typedTables<EvidenceTables>(em);
