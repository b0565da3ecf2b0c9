import type { EntityManager } from '@mikro-orm/postgresql';
import type { DeviceState } from '../domain/personal-token.js';
import { accessTables } from './access.tables.js';

/** How long an expired request answers `expired_token` before it is deleted. */
const EXPIRED_KEPT_MS = 60 * 60_000;

/** A machine's request for a token. */
export interface DeviceRow {
  id: string;
  deviceName: string;
  network: string | null;
  state: DeviceState;
  userId: string | null;
  intervalSeconds: number;
  polledAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
}

const COLUMNS = [
  'id',
  'deviceName',
  'network',
  'state',
  'userId',
  'intervalSeconds',
  'polledAt',
  'createdAt',
  'expiresAt',
] as const;

/** Adds a request, and deletes expired ones. */
export async function insertDevice(
  tx: EntityManager,
  device: DeviceRow & { deviceCodeHash: Buffer; userCodeHash: Buffer },
): Promise<void> {
  const before = new Date(device.createdAt.getTime() - EXPIRED_KEPT_MS);
  await accessTables(tx).deleteFrom('device_authorization').where('expiresAt', '<', before).execute();
  await accessTables(tx).insertInto('device_authorization').values(device).execute();
}

/** The request of a device code, locked; null: none. */
export async function lockDevice(tx: EntityManager, deviceCodeHash: Buffer): Promise<DeviceRow | null> {
  const found = await accessTables(tx)
    .selectFrom('device_authorization')
    .select(COLUMNS)
    .where('deviceCodeHash', '=', deviceCodeHash)
    .forUpdate()
    .executeTakeFirst();
  return found ?? null;
}

/** The pending request of a user code; null: none. */
export async function findPending(
  em: EntityManager,
  userCodeHash: Buffer,
  now: Date,
): Promise<DeviceRow | null> {
  const found = await accessTables(em)
    .selectFrom('device_authorization')
    .select(COLUMNS)
    .where('userCodeHash', '=', userCodeHash)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return found ?? null;
}

/** Decides a pending request, once: false if another call did, or it has expired. */
export async function decideDevice(
  tx: EntityManager,
  { id, state, userId }: { id: string; state: 'approved' | 'denied'; userId: string },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await accessTables(tx)
    .updateTable('device_authorization')
    .set({ state, userId })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function notePoll(
  tx: EntityManager,
  { id, intervalSeconds }: Pick<DeviceRow, 'id' | 'intervalSeconds'>,
  now: Date,
): Promise<void> {
  await accessTables(tx)
    .updateTable('device_authorization')
    .set({ intervalSeconds, polledAt: now })
    .where('id', '=', id)
    .execute();
}

export async function deleteDevice(tx: EntityManager, id: string): Promise<void> {
  await accessTables(tx).deleteFrom('device_authorization').where('id', '=', id).execute();
}
