import { CompiledQuery } from 'kysely';
import { ConsentRecords } from '../../../src/modules/consent/consent.records.js';
import { AnchorCheckpoints } from '../../../src/modules/evidence/application/anchor-checkpoints.js';
import {
  CheckpointPublisher,
  type CheckpointOutcome,
} from '../../../src/modules/evidence/application/checkpoint-publisher.js';
import { Sequencer } from '../../../src/modules/evidence/application/sequencer.js';
import { ROOT_LOG } from '../../../src/modules/evidence/domain/log.js';
import type { TestService } from '../programs/service.js';

const HALF_MINUTE_MS = 30_000;

/** The steps of a worker, when a test calls them. */
export interface EvidenceSteps {
  /** Lets the sequencer read everything that is stored so far. */
  releaseHorizon(): Promise<void>;
  /** Sequences all stored records. */
  sequence(): Promise<void>;
  publish(log: string): Promise<CheckpointOutcome>;
  /** Sequences all stored records and publishes a project's log. */
  seal(projectId: string): Promise<CheckpointOutcome>;
  /** Anchors signed checkpoints and publishes the root log. */
  anchor(): Promise<CheckpointOutcome>;
}

/**
 * Replaces the horizon, which waits for transactions of other tests on the same server: the service
 * sequences everything stored before the last call of the returned function.
 */
export function pinHorizon(service: TestService): () => Promise<void> {
  const records = service.app.get(ConsentRecords, { strict: false });
  const committedHorizon = records.committedHorizon.bind(records);
  let xid: string | null = null;
  records.committedHorizon = async (tx) => {
    const { rows } = await tx
      .getKysely()
      .executeQuery<{ xid: string }>(
        CompiledQuery.raw('select after_xid::text as xid from sequencer_cursor'),
      );
    return { ...(await committedHorizon(tx)), xid: xid ?? rows[0]?.xid ?? '0' };
  };
  return async () => {
    const [next] = await service.database.query<{ xid: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as xid',
    );
    xid = next?.xid ?? null;
  };
}

export function evidenceSteps(service: TestService): EvidenceSteps {
  const get = <T>(type: new (...args: never[]) => T): T => service.app.get(type, { strict: false });
  const releaseHorizon = pinHorizon(service);
  const sequence = async (): Promise<void> => {
    await releaseHorizon();
    while (await get(Sequencer).sequenceBatch());
  };
  const publish = (log: string): Promise<CheckpointOutcome> =>
    get(CheckpointPublisher).publish(log, performance.now() + HALF_MINUTE_MS);
  return {
    releaseHorizon,
    sequence,
    publish,
    seal: async (projectId) => {
      await sequence();
      return publish(projectId);
    },
    anchor: async () => {
      await get(AnchorCheckpoints).anchorBatch();
      return publish(ROOT_LOG);
    },
  };
}
