import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentEvents } from '../../consent/consent.events.js';
import { consentKey, type ConsentRef } from '../../consent/domain/consent-recorded.js';
import { recordBody } from '../../consent/domain/record-body.js';
import { DomainError } from '../../shared/domain-error.js';
import { commitmentOf, erasureBody } from '../domain/commitment.js';
import { ROOT_LOG } from '../domain/log.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { leafHash } from '../domain/tree-hash.js';
import { inclusionRanges } from '../domain/tree-proof.js';
import { findLeaf, findMark, findRooted, type Rooted, type StoredLog } from '../infrastructure/log-rows.js';
import { LogReader } from './log-reader.js';
import { LogSigner } from './log-signer.js';

const OFF = 'Nothing is sealed here: EVIDENCE_KEYS is not set, or EVIDENCE_SEAL_SECONDS is 0.';
const TOO_OLD = 'The record is older than the log of its project.';
const CHANGED =
  'The record was changed since it was sealed, as where its visitor is kept as a hash since: it cannot be proved.';

/** A record's proof. */
export interface Proof {
  /** A `.tlog-proof`. */
  text: string;
  index: number;
  /** Whether a checkpoint that covers it is in the root log. */
  isRooted: boolean;
}

/** What is proved, and its salt. */
interface Opening {
  body: Record<string, unknown>;
  salt: Buffer;
}

/** Proves to whoever has our public key that a record was stored, or erased, as it is (docs/evidence.md). */
@Injectable()
export class Proofs {
  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentEvents,
    private readonly logs: LogReader,
    private readonly signer: LogSigner,
  ) {}

  /**
   * The proof of a record, or of its erasure; null while it is not sealed.
   * @throws DomainError `consent_not_found` (404), `consent_not_sealed` (409) where it never will be
   */
  async proofOf(ref: ConsentRef): Promise<Proof | null> {
    const em = this.em.fork();
    // Read first: whatever is older than the mark by then has its leaf by now, or never will.
    const sealedUntil = await findMark(em);
    const found = await findLeaf(em, ref);
    const { body, instant, ...opened } = await this.openingOf(ref);
    const isErasure = opened.salt === undefined;
    // A record that was erased and then sent anew waits for a leaf of its own.
    const leaf = found !== null && (found.salt !== null) === isErasure ? found : null;
    if (!leaf) return this.refuseUnlessAwaited(instant, sealedUntil);
    const log = await this.logs.find(ref.projectId);
    if (!log || leaf.index >= log.checkpointSize) return null;
    const salt = opened.salt ?? leaf.salt ?? Buffer.alloc(0);
    // Nobody is given a proof that does not hold.
    if (!(await this.logs.leafHashAt(log, leaf.index)).equals(leafHash(commitmentOf(salt, body))))
      throw new DomainError('consent_not_sealed', CHANGED);
    return this.write(log, leaf.index, { body, salt });
  }

  /** What is there to be proved; without a salt where it is an erasure, whose leaf has it. */
  private async openingOf(
    ref: ConsentRef,
  ): Promise<{ body: Record<string, unknown>; instant: Date; salt?: Buffer | null }> {
    const record = (await this.records.load([ref])).get(consentKey(ref));
    if (record) return { body: recordBody(record), instant: record.receivedAt, salt: record.salt };
    const erasedAt = await this.records.erasedAt(ref);
    if (erasedAt) return { body: erasureBody(ref.consentId, erasedAt), instant: erasedAt };
    throw new DomainError(
      'consent_not_found',
      'There is no such consent record, or it is older than is kept.',
    );
  }

  private refuseUnlessAwaited(instant: Date, sealedUntil: Date): null {
    if (!this.signer.isOn) throw new DomainError('consent_not_sealed', OFF);
    if (instant < sealedUntil) throw new DomainError('consent_not_sealed', TOO_OLD);
    return null;
  }

  private async write(log: StoredLog, index: number, { body, salt }: Opening): Promise<Proof> {
    const rooted = await findRooted(this.em.fork(), log.log);
    const isRooted = rooted !== null && index < rooted.size;
    const rootProof = isRooted ? await this.rootProofOf(rooted) : null;
    const { size, checkpoint } =
      isRooted && rootProof !== null ? rooted : { size: log.checkpointSize, checkpoint: log.checkpoint };
    const path = await this.logs.hashesOf(log, inclusionRanges(index, size));
    const extra = { record: body, salt: salt.toString('base64'), rootProof };
    const text = writeTlogProof({
      extra: Buffer.from(JSON.stringify(extra)),
      index,
      path,
      checkpoint: checkpoint ?? '',
    });
    return { text, index, isRooted: rootProof !== null };
  }

  private async rootProofOf({ index }: Rooted): Promise<string | null> {
    const root = await this.logs.find(ROOT_LOG);
    if (!root?.checkpoint || index >= root.checkpointSize) return null;
    const path = await this.logs.hashesOf(root, inclusionRanges(index, root.checkpointSize));
    return writeTlogProof({ extra: null, index, path, checkpoint: root.checkpoint });
  }
}
