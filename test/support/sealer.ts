import { CompiledQuery } from 'kysely';
import { ConsentRecords } from '../../src/consent/consent.records.js';
import { SealRoots } from '../../src/evidence/application/seal-roots.js';
import { Sequencer } from '../../src/evidence/application/sequencer.js';
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
 * Has the service seal what was stored until a test says that nothing is under way, in place of waiting for the
 * transactions of other tests on the same server. Returns the function that says so.
 */
export function sealWhenTold(service: TestService): () => Promise<void> {
  const records = service.app.get(ConsentRecords, { strict: false });
  const completeBelow = records.completeBelow.bind(records);
  let xid: string | null = null;
  records.completeBelow = async (tx) => {
    const { rows } = await tx
      .getKysely()
      .executeQuery<{ xid: string }>(
        CompiledQuery.raw('select after_xid::text as xid from sequencer_cursor'),
      );
    return { ...(await completeBelow(tx)), xid: xid ?? rows[0]?.xid ?? '0' };
  };
  return async () => {
    const [next] = await service.database.query<{ xid: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as xid',
    );
    xid = next?.xid ?? null;
  };
}

export function sealerOf(service: TestService): Sealer {
  const get = <T>(type: new (...args: never[]) => T): T => service.app.get(type, { strict: false });
  const nothingIsUnderWay = sealWhenTold(service);
  const place = async (): Promise<void> => {
    await nothingIsUnderWay();
    while (await get(Sequencer).sequenceBatch());
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
