import type { TestService } from '../programs/service.js';

/**
 * Runs `act` while every statement that changes a row of the table fails: as a crash at that very step leaves it. Call
 * `repair` in `afterEach`: a test that runs out of time does not wait for the end of `act`.
 */
export async function whileBroken<Result>(
  service: Pick<TestService, 'database'>,
  table: string,
  act: () => Promise<Result>,
): Promise<Result> {
  await service.database.query(
    `create function broken() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`,
  );
  await service.database.query(
    `create trigger broken before insert or update or delete on ${table} execute function broken()`,
  );
  try {
    return await act();
  } finally {
    await repair(service);
  }
}

/** Removes what `whileBroken` has broken. */
export async function repair(service: Pick<TestService, 'database'>): Promise<void> {
  await service.database.query('drop function if exists broken cascade');
}
