import { sql } from 'kysely';
import { ConsentEvents } from '../../src/consent/consent.events.js';
import { SealRoots } from '../../src/evidence/application/seal-roots.js';
import { SealStored } from '../../src/evidence/application/seal-stored.js';
import { SignLog, type SignOutcome } from '../../src/evidence/application/sign-log.js';
import { ROOT_LOG } from '../../src/evidence/domain/log.js';
import type { TestService } from './service.js';

const HALF_MINUTE_MS = 30_000;

/** Seals when a test says so, in place of a worker. */
export interface Sealer {
  /** Gives all that is stored its places. */
  place(): Promise<void>;
  sign(log: string): Promise<SignOutcome>;
  /** Both. */
  seal(projectId: string): Promise<SignOutcome>;
  /** Puts what is signed into the log of all. */
  root(): Promise<SignOutcome>;
}

export function sealerOf(service: TestService): Sealer {
  const get = <T>(type: new (...args: never[]) => T): T => service.app.get(type, { strict: false });
  // Nothing is under way while a test seals: there is no need to wait until nothing can be.
  get(ConsentEvents).completeUntil = async (tx) => {
    const { rows } = await sql<{ until: string }>`select clock_timestamp()::text as until`.execute(
      tx.getKysely(),
    );
    return rows[0]?.until ?? '';
  };
  const place = async (): Promise<void> => {
    while (await get(SealStored).step());
  };
  const sign = (log: string): Promise<SignOutcome> =>
    get(SignLog).sign(log, performance.now() + HALF_MINUTE_MS);
  return {
    place,
    sign,
    seal: async (projectId) => {
      await place();
      return sign(projectId);
    },
    root: async () => {
      await get(SealRoots).step();
      return sign(ROOT_LOG);
    },
  };
}
