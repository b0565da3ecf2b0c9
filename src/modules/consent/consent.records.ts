import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { PreparedReads, type Reads } from '../../platform/database/prepared-reads.js';
import type { Namespace, SettingsOf } from '../../platform/settings/declare-settings.js';
import { InjectSettings } from '../../platform/settings/inject-settings.js';
import { consentSettings, type ConsentSettings } from './consent.settings.js';
import { shareOf } from './domain/consent-counts.js';
import type { ConsentRecorded, ConsentRef } from './domain/consent-recorded.js';
import { retentionStart } from './domain/erasure.js';
import { overviewPeriods } from './domain/overview-periods.js';
import { countsSince } from './infrastructure/analytics-query.js';
import { existingRecords, findErasedAt, loadRecords, lockRecords } from './infrastructure/record.rows.js';
import { committedHorizon, type Horizon } from './infrastructure/stored-since.js';

export { joinRecord } from './infrastructure/record.rows.js';
export { committedHorizon, issueSalts, storedOfProject, storedSince } from './infrastructure/stored-since.js';
export { listUnexplained } from './infrastructure/erasure.rows.js';
export { findVisitorReference } from './infrastructure/visitor-reference.rows.js';
export type { Horizon, StoredEvent, RecordPosition } from './infrastructure/stored-since.js';

/** Stored consent records, for other modules to read. */
@Injectable()
export class ConsentRecords {
  constructor(
    private readonly em: EntityManager,
    @Inject(PreparedReads) private readonly reads: Reads,
  ) {}

  /** Reads records by id, keyed by `consentKey`. Deleted records are missing from the map. */
  load(refs: readonly ConsentRef[]): Promise<Map<string, ConsentRecorded>> {
    return loadRecords(this.reads, refs);
  }

  /** Returns the ids that are a record of the project, in the order given. */
  existing(tx: EntityManager, projectId: string, consentIds: readonly string[]): Promise<string[]> {
    return existingRecords(tx, projectId, consentIds);
  }

  /** Returns the keys of the records that exist, and locks them: an erasure waits until the transaction ends. */
  lockExisting(tx: EntityManager, refs: readonly ConsentRef[]): Promise<Set<string>> {
    return lockRecords(tx, refs);
  }

  /** When a record was erased; null: it was not. */
  erasedAt(ref: ConsentRef): Promise<Date | null> {
    return findErasedAt(this.em.fork(), ref);
  }

  /** The transaction id below which every record and erasure is visible. */
  committedHorizon(tx: EntityManager): Promise<Horizon> {
    return committedHorizon(tx);
  }
}

/** Retention of records, for modules that store data about them. */
@Injectable()
export class RecordRetention {
  constructor(@InjectSettings(consentSettings) private readonly settings: ConsentSettings) {}

  /** Records created before it may be deleted. */
  keptSince(now: Date): Date {
    return retentionStart(now, this.settings.retentionMonths);
  }
}

/** For an operator command, which starts no modules. */
export function recordRetention(
  settings: <S extends Namespace>(namespace: S) => SettingsOf<S>,
): RecordRetention {
  return new RecordRetention(settings(consentSettings));
}

/** Records received since midnight. */
interface RecordsToday {
  records: number;
  /** Of the visitors with a choice to make, the share that grants at least one category; null without such visitors. */
  optInRate: number | null;
}

/** Counts today's records of all `projectIds` in one statement; projects without any are missing. */
export async function countRecordsToday(
  em: EntityManager,
  projectIds: readonly string[],
  { now, timeZone }: { now: Date; timeZone: string },
): Promise<Map<string, RecordsToday>> {
  const { from } = overviewPeriods(now, timeZone).today.now;
  const { rows } = await countsSince(projectIds, from).execute(em.getKysely());
  return new Map(
    rows.map(({ projectId, records, asked, granting }) => [
      projectId,
      { records, optInRate: shareOf(granting, asked) },
    ]),
  );
}
