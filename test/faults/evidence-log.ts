import type { Client } from 'pg';
import { type ConsentRecorded, recordBody } from '../../src/modules/consent/domain/consent-recorded.js';
import { type Checkpoint, readCheckpoint } from '../../src/modules/evidence/domain/checkpoint.js';
import { computeCommitment } from '../../src/modules/evidence/domain/commitment.js';
import {
  ENTRIES,
  decodeBundle,
  logFolder,
  objectPath,
  ROOT_LOG,
} from '../../src/modules/evidence/domain/log.js';
import { openNote, createSigner } from '../../src/modules/evidence/domain/signed-note.js';
import { CHECKPOINT_DUE } from '../../src/modules/evidence/evidence.events.js';
import { TILE_WIDTH } from '../../src/modules/evidence/domain/tile.js';
import { append, EMPTY_RANGE, computeRoot } from '../../src/modules/evidence/domain/compact-range.js';
import { leafHash } from '../../src/modules/evidence/domain/tree-hash.js';
import type { LabInstallation } from './lab.js';
import { pause } from './pause.js';
import { until } from '../support/until.js';

const LOOK_EVERY_MS = 300;
/**
 * Time after the end of the load within which all records are sealed and signed, including the
 * expiry of leases.
 */
const SEALED_DEADLINE_MS = 60_000;
/** The root log grows with every checkpoint of another, also of the last ones. */
const UNSIGNED_MAX_SECONDS = 30;

/** Writes down every signed checkpoint that it gets to see, as receivers would. */
export class Witness {
  readonly seen = new Map<string, Set<string>>();
  private stopped = false;
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly installation: Pick<LabInstallation, 'withDatabase'>) {}

  start(): void {
    this.looking = this.look();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.looking;
  }

  private async look(): Promise<void> {
    while (!this.stopped) {
      // The database may be unavailable, which the lab provokes.
      await this.installation.withDatabase((client) => this.note(client)).catch(() => {});
      await pause(LOOK_EVERY_MS);
    }
  }

  private async note(client: Client): Promise<void> {
    const { rows } = await client.query<{ log: string; checkpoint: string }>(
      'select log, checkpoint from evidence_log where checkpoint is not null',
    );
    for (const { log, checkpoint } of rows)
      this.seen.set(log, (this.seen.get(log) ?? new Set()).add(checkpoint));
  }
}

/**
 * Waits until all stored records are sealed, up to a deadline; the remaining ones are a finding.
 */
export async function sealed(installation: LabInstallation): Promise<void> {
  const from = new Date();
  const isSealed = (): Promise<boolean> =>
    installation
      .withDatabase(async (client) => {
        const { rows } = await client.query(
          `select from sequencer_cursor where at > $1 and not exists (select from evidence_log where checkpoint_size < size)`,
          [from],
        );
        return rows.length === 1;
      })
      .catch(() => false);
  await until('everything is sealed', isSealed, SEALED_DEADLINE_MS).catch(() => {});
}

/** What breaks the rules of sealing, by rule. */
export interface SealingAccounts {
  checkpointsSeen: number;
  notOnce: string[];
  forked: string[];
  /** Logs whose last entries no signed checkpoint covers. */
  unsigned: string[];
}

type Row = ConsentRecorded & { index: number | null };

/** Holds the storage, the rows and every checkpoint that was seen against each other. */
export async function accountOfSealing(
  installation: LabInstallation,
  witness: Witness,
): Promise<SealingAccounts> {
  const accounts: SealingAccounts = {
    checkpointsSeen: 0,
    notOnce: [],
    forked: [],
    unsigned: await installation.withDatabase(listUnsigned),
  };
  const sizes = await installation.withDatabase(async (client) => {
    const { rows } = await client.query<{ log: string; size: number }>(
      'select log, checkpoint_size::int as size from evidence_log',
    );
    return new Map(rows.map(({ log, size }) => [log, size]));
  });
  if (accounts.unsigned.length > 0) return accounts;
  const records = await installation.withDatabase(recordsWithPlaces);
  const byProject = Map.groupBy(records, ({ projectId }) => projectId);
  for (const log of new Set([...sizes.keys(), ...byProject.keys()])) {
    const entries = await readEntries(installation, log, sizes.get(log) ?? 0);
    if (log !== ROOT_LOG) accounts.notOnce.push(...misplaced(byProject.get(log) ?? [], entries));
    const seen = witness.seen.get(log) ?? new Set();
    accounts.checkpointsSeen += seen.size;
    accounts.forked.push(...contradicted(log, seen, entries, installation.evidenceKey));
  }
  return accounts;
}

async function listUnsigned(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(`
    select format('%s: %s of %s entries are signed; %s', log, checkpoint_size, size, concat_ws('; ', refusal, halted, damage, (
      select string_agg(format('a message, due %s, %s failures, %s', available_at, failures, last_error), '; ')
      from outbox_message m where m.topic = '${CHECKPOINT_DUE}' and m.subject_id = log))) as text
    from evidence_log where checkpoint_size < size and appended_at < now() - interval '${UNSIGNED_MAX_SECONDS} s'`);
  return rows.map(({ text }) => text);
}

async function recordsWithPlaces(client: Client): Promise<Row[]> {
  const { rows } = await client.query<Row>(`
    select c.id, c.project_id as "projectId", c.analytics, c.marketing, c.preferences, c.action, c.hostname, c.extra,
           c.received_at as "receivedAt", c.config_hash as "configHash", c.language, c.surface, c.salt,
           l.leaf_index::int as index
    from consent_record c left join evidence_leaf l on l.project_id = c.project_id and l.consent_id = c.id`);
  return rows;
}

/** The entries of a log as they lie in the storage. */
async function readEntries(installation: LabInstallation, log: string, size: number): Promise<Buffer[]> {
  const entries: Buffer[] = [];
  for (let at = 0; at < size; at += TILE_WIDTH) {
    const width = Math.min(TILE_WIDTH, size - at);
    const path = objectPath({ level: ENTRIES, index: at / TILE_WIDTH, width });
    entries.push(...decodeBundle(await installation.readEvidence(`${logFolder(log)}/${path}`)));
  }
  return entries;
}

/** Records that are in their log not at all, twice, or with another content; and entries of no record. */
function misplaced(records: readonly Row[], entries: readonly Buffer[]): string[] {
  const wrong: string[] = [];
  const taken = new Set<number>();
  const places = new Map(entries.map((entry, at) => [entry.toString('hex'), at]));
  for (const record of records) {
    const { id, index, salt } = record;
    if (index === null || salt === null) wrong.push(`${id} has no place`);
    else if (taken.has(index)) wrong.push(`${id} shares the place ${index}`);
    else {
      const commitment = computeCommitment(salt, recordBody(record));
      const opened = places.get(commitment.toString('hex'));
      if (opened !== index) wrong.push(`${id} does not open the entry ${index}, but ${opened ?? 'none'}`);
    }
    if (index !== null) taken.add(index);
  }
  const extra = entries.length - taken.size;
  return extra === 0 ? wrong : [...wrong, `${extra} entries more than records`];
}

/** Checkpoints that we have signed and that are no prefix of the current log. */
function contradicted(
  log: string,
  notes: ReadonlySet<string>,
  entries: readonly Buffer[],
  seed: Buffer,
): string[] {
  const wrong: string[] = [];
  const checkpoints: Checkpoint[] = [];
  for (const note of notes) {
    const host = note.slice(0, note.indexOf('/'));
    const checkpoint = readCheckpoint(openNote(note, [createSigner(host, seed)]) ?? '');
    if (checkpoint) checkpoints.push(checkpoint);
    else wrong.push(`${log}: a checkpoint that nobody has signed`);
  }
  let range = EMPTY_RANGE;
  for (const { size, root } of checkpoints.toSorted((a, b) => a.size - b.size)) {
    range = append(range, entries.slice(range.size, size).map(leafHash)).range;
    if (range.size !== size || !computeRoot(range).equals(root))
      wrong.push(`${log}: the checkpoint of ${size} entries`);
  }
  return wrong;
}
