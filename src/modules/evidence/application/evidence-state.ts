import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import type { ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { type Continuation, readSignedContinuation } from '../domain/checkpoint.js';
import { findBegin } from '../infrastructure/cursor.rows.js';
import { findLeaves, type Leaf } from '../infrastructure/leaf.rows.js';
import { findLogState, findPastLog, type LogState } from '../infrastructure/log.rows.js';
import { LogSigner } from './log-signer.js';

/**
 * Status of a record in the log: `sealed` once a signed checkpoint covers it, `pending` before, `never` if it is older
 * than the log, `off` if evidence is off.
 */
export interface RecordState {
  status: 'off' | 'never' | 'pending' | 'sealed';
  /** Its leaf index; null unless sealed. */
  index: number | null;
  /** Whether an anchored checkpoint covers it. */
  isInRootLog: boolean;
}

/** The log that another log continues, and why. */
interface FormerLog {
  origin: string;
  /** Its last known size and root. */
  size: number;
  rootHash: string;
  reason: string;
  at: Date;
}

/** The state of a project's log, as the API returns it. */
export interface ProjectLogState extends Omit<LogState, 'anchoredSize' | 'continues'> {
  /** Whether evidence is on. */
  sealing: boolean;
  /** Entries that an anchored checkpoint covers. */
  rootedSize: number;
  /** null: it continues no other log. */
  continues: FormerLog | null;
}

/** Reads the state of logs and of records in them. */
@Injectable()
export class EvidenceState implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly hooks: ConsentHooks,
    private readonly signer: LogSigner,
  ) {}

  onModuleInit(): void {
    this.hooks.addDetail({ member: 'evidence', read: (record) => this.readRecord(record) });
  }

  async readLog(projectId: string): Promise<ProjectLogState> {
    const state = await findLogState(this.em.fork(), projectId);
    const { anchoredSize: rootedSize, continues, ...rest } = state ?? EMPTY;
    const statement = continues === null ? null : readSignedContinuation(continues);
    return { sealing: this.signer.isOn, ...rest, rootedSize, continues: statement && toFormerLog(statement) };
  }

  private async readRecord({ projectId, id, receivedAt }: ConsentRecorded): Promise<RecordState> {
    const em = this.em.fork();
    const leaf = (await findLeaves(em, projectId, [id])).get(id);
    const state = leaf && (await findLogState(em, projectId));
    if (leaf && leaf.salt === null && state && leaf.epoch < state.epoch)
      return this.readPastRecord(projectId, leaf);
    if (!leaf || leaf.salt !== null || !state || leaf.index >= state.size)
      return {
        status: !this.signer.isOn ? 'off' : !leaf && receivedAt < (await findBegin(em)) ? 'never' : 'pending',
        index: null,
        isInRootLog: false,
      };
    return { status: 'sealed', index: leaf.index, isInRootLog: leaf.index < state.anchoredSize };
  }

  /** A record in a log that another log continues. */
  private async readPastRecord(projectId: string, { epoch, index }: Leaf): Promise<RecordState> {
    const past = await findPastLog(this.em.fork(), projectId, epoch);
    return { status: 'sealed', index, isInRootLog: index < (past?.anchored?.size ?? 0) };
  }
}

const EMPTY: LogState = {
  epoch: 1,
  size: 0,
  signedAt: null,
  anchoredSize: 0,
  refusal: null,
  continues: null,
};

const toFormerLog = ({ formerOrigin, formerSize, formerRoot, reason, at }: Continuation): FormerLog => ({
  origin: formerOrigin,
  size: formerSize,
  rootHash: formerRoot.toString('base64'),
  reason,
  at,
});
