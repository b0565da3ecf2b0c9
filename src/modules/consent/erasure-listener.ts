import type { EntityManager } from '@mikro-orm/postgresql';
import type { OutboxService } from '../../platform/outbox/outbox.service.js';
import type { RecordsErased } from './domain/erasure.js';

/** Deletes what a module stores about erased records, in the transaction of the erasure. */
export type ErasureListener = (
  tx: EntityManager,
  erased: RecordsErased,
  outbox: OutboxService,
) => Promise<void>;

/** Injects the listeners of all modules, which `programs/erasure-listeners.ts` lists. */
export const ERASURE_LISTENERS = Symbol('erasure listeners');
