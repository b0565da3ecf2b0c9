import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../platform/identity/ids.js';
import type { NewEvent } from './domain/catalogue.js';
import { insertEvents } from './infrastructure/event.rows.js';

/**
 * The public interface of events: writes events of a project in the transaction of the change, with their deliveries
 * to the endpoints that listen, so that either all exist or none. Workers find them within a second. Nothing is
 * written for a deleted project.
 */
export async function writeEvents(
  tx: EntityManager,
  projectId: string,
  events: readonly NewEvent[],
): Promise<void> {
  if (!tx.isInTransaction()) throw new Error('An event must be written in the transaction of its change.');
  if (events.length === 0) return;
  await insertEvents(
    tx,
    projectId,
    events.map(({ type, id, data }) => ({ id: newId(), type, data: { id, ...data } })),
  );
}
