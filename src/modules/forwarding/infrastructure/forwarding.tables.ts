import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type {
  DeliverySchema,
  ForwardingLastFailureSchema,
  ForwardingSettingsSchema,
} from './forwarding.entities.js';

type ForwardingTables = TablesOf<
  typeof DeliverySchema | typeof ForwardingLastFailureSchema | typeof ForwardingSettingsSchema
>;

/** Typed queries over settings, last failures and deliveries. */
export const forwardingTables = (em: EntityManager): Kysely<ForwardingTables> =>
  typedTables<ForwardingTables>(em);
