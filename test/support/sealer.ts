import { ConsentEvents } from '../../src/consent/consent.events.js';
import { SealRoots } from '../../src/evidence/application/seal-roots.js';
import { SealStored } from '../../src/evidence/application/seal-stored.js';
import { SignLog, type SignOutcome } from '../../src/evidence/application/sign-log.js';
import { ROOT_LOG } from '../../src/evidence/domain/log.js';
import type { TestService } from './service.js';

const HALF_MINUTE_MS = 30_000;

/** Seals when a test says so, in place of a worker. */
export interface Sealer {
  /** What was stored so far is complete. */
  nothingIsUnderWay(): Promise<void>;
  /** Gives all that is stored its places. */
  place(): Promise<void>;
  sign(log: string): Promise<SignOutcome>;
  /** Both. */
  seal(projectId: string): Promise<SignOutcome>;
  /** Puts what is signed into the log of all. */
  root(): Promise<SignOutcome>;
}

/**
 * Has the service seal what was stored until a test says that nothing is under way, in place of waiting until nothing
 * can be. Returns what says so. A worker may seal at any time: without a word of the test it would pass over a
 * record whose transaction has begun and is not committed, for good.
 */
export function sealWhenTold(service: TestService): () => Promise<void> {
  let until = '-infinity';
  service.app.get(ConsentEvents, { strict: false }).completeUntil = () => Promise.resolve(until);
  return async () => {
    // In a later millisecond, which is what instants are told apart by.
    const [now] = await service.database.query<{ at: string }>(
      'select clock_timestamp()::text as at from pg_sleep(0.002)',
    );
    until = now?.at ?? until;
  };
}

export function sealerOf(service: TestService): Sealer {
  const get = <T>(type: new (...args: never[]) => T): T => service.app.get(type, { strict: false });
  const nothingIsUnderWay = sealWhenTold(service);
  const place = async (): Promise<void> => {
    await nothingIsUnderWay();
    while (await get(SealStored).step());
  };
  const sign = (log: string): Promise<SignOutcome> =>
    get(SignLog).sign(log, performance.now() + HALF_MINUTE_MS);
  return {
    nothingIsUnderWay,
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
