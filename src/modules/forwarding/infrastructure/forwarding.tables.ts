import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type {
  DeliveryRetrySchema,
  DeliverySchema,
  ForwardingLastFailureSchema,
  ForwardingSettingsSchema,
} from './forwarding.entities.js';

type ForwardingTables = TablesOf<
  | typeof DeliverySchema
  | typeof DeliveryRetrySchema
  | typeof ForwardingLastFailureSchema
  | typeof ForwardingSettingsSchema
>;

/** Typed queries over settings, last failures, deliveries and retries. */
export const forwardingTables = (em: EntityManager): Kysely<ForwardingTables> =>
  typedTables<ForwardingTables>(em);
