import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type {
  ConsentRecordSchema,
  ErasedRecordSchema,
  ErasureRequestSchema,
  VisitorReferenceSchema,
} from './consent.entities.js';

type ConsentTables = TablesOf<
  | typeof ConsentRecordSchema
  | typeof ErasedRecordSchema
  | typeof ErasureRequestSchema
  | typeof VisitorReferenceSchema
>;

/** Typed queries over consent tables outside the hot paths. */
export const consentTables = (em: EntityManager): Kysely<ConsentTables> => typedTables<ConsentTables>(em);
