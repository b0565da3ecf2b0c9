import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type {
  ConfigurationDraftSchema,
  PublicationSchema,
  SiteConfigurationSchema,
} from './publishing.entities.js';

type PublishingTables = TablesOf<
  typeof ConfigurationDraftSchema | typeof PublicationSchema | typeof SiteConfigurationSchema
>;

/** Typed queries over configurations and publications. */
export const publishingTables = (em: EntityManager): Kysely<PublishingTables> =>
  typedTables<PublishingTables>(em);
