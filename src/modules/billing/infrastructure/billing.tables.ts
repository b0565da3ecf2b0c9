import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type {
  BillingCheckoutSchema,
  BillingCustomerSchema,
  BillingEventSchema,
  BillingGrantLogSchema,
  BillingPriceSchema,
} from './billing.entities.js';

type BillingTables = TablesOf<
  | typeof BillingCheckoutSchema
  | typeof BillingCustomerSchema
  | typeof BillingEventSchema
  | typeof BillingGrantLogSchema
  | typeof BillingPriceSchema
>;

/** Typed queries over billing's tables. */
export const billingTables = (em: EntityManager): Kysely<BillingTables> => typedTables<BillingTables>(em);
