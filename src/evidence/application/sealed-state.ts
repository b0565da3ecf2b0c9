import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import type { ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { type Continuation, readSignedContinuation } from '../domain/continuation.js';
import { findBegin } from '../infrastructure/cursor-rows.js';
import {
  findLeaves,
  findLogState,
  findPastLog,
  type Leaf,
  type LogState,
} from '../infrastructure/log-rows.js';
import { LogSigner } from './log-signer.js';

/**
 * How far a record is: `off` where nothing is sealed, `never` where it is older than its log, `pending` until a signed
 * checkpoint covers it.
 */
export interface RecordSealed {
  status: 'off' | 'never' | 'pending' | 'sealed';
  /** Its place in the log; null unless sealed. */
  index: number | null;
  /** Whether the public log of all projects covers it. */
  isInRootLog: boolean;
}

/** The log that a log continues, and why. */
interface FormerLog {
  origin: string;
  /** Its last known size and root. */
  size: number;
  rootHash: string;
  reason: string;
  at: Date;
}

/** A project's log, as a member sees it. */
export interface ProjectLogState extends Omit<LogState, 'continues'> {
  sealing: boolean;
  /** null: it continues no other log. */
  continues: FormerLog | null;
}

/** Reads the state of logs, and each record's `evidence` where records are shown. */
@Injectable()
export class SealedState implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly hooks: ConsentHooks,
    private readonly signer: LogSigner,
  ) {}

  onModuleInit(): void {
    this.hooks.addDetail({ member: 'evidence', read: (record) => this.ofRecord(record) });
  }

  async ofProject(projectId: string): Promise<ProjectLogState> {
    const state = await findLogState(this.em.fork(), projectId);
    const empty = { epoch: 1, size: 0, signedAt: null, rootedSize: 0, refusal: null };
    const statement = state?.continues ? readSignedContinuation(state.continues) : null;
    return { sealing: this.signer.isOn, ...(state ?? empty), continues: statement && formerLogOf(statement) };
  }

  private async ofRecord({ projectId, id, receivedAt }: ConsentRecorded): Promise<RecordSealed> {
    const em = this.em.fork();
    const leaf = (await findLeaves(em, projectId, [id])).get(id);
    const state = leaf && (await findLogState(em, projectId));
    if (leaf && leaf.salt === null && state && leaf.epoch < state.epoch) return this.ofPast(projectId, leaf);
    if (!leaf || leaf.salt !== null || !state || leaf.index >= state.size)
      return {
        status: !this.signer.isOn ? 'off' : !leaf && receivedAt < (await findBegin(em)) ? 'never' : 'pending',
        ...{ index: null, isInRootLog: false },
      };
    return { status: 'sealed', index: leaf.index, isInRootLog: leaf.index < state.rootedSize };
  }

  /** In a log that another one continues. */
  private async ofPast(projectId: string, { epoch, index }: Leaf): Promise<RecordSealed> {
    const past = await findPastLog(this.em.fork(), projectId, epoch);
    return { status: 'sealed', index, isInRootLog: index < (past?.rooted?.size ?? 0) };
  }
}

const formerLogOf = ({ formerOrigin, formerSize, formerRoot, reason, at }: Continuation): FormerLog => ({
  ...{ origin: formerOrigin, size: formerSize, rootHash: formerRoot.toString('base64') },
  ...{ reason, at },
});
