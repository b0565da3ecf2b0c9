import type { TestService } from '../programs/service.js';

const EVIDENCE_TABLES = {
  evidence_log: 'log',
  evidence_past_log: 'log',
  evidence_tile: 'log',
  evidence_leaf: 'project_id',
  evidence_entry: 'project_id',
};

/** Rows of a log in the database, as a backup would hold them. */
export type EvidenceBackup = Record<string, string>;

export async function backUpLog(
  { database }: Pick<TestService, 'database'>,
  projectId: string,
): Promise<EvidenceBackup> {
  const backup: EvidenceBackup = {};
  for (const [table, column] of Object.entries(EVIDENCE_TABLES)) {
    const [row] = await database.query<{ rows: string }>(
      `select coalesce(json_agg(t), '[]')::text as rows from ${table} t where ${column} = $1`,
      [projectId],
    );
    backup[table] = row?.rows ?? '[]';
  }
  return backup;
}

export async function restoreLog(
  { database }: Pick<TestService, 'database'>,
  projectId: string,
  backup: EvidenceBackup,
): Promise<void> {
  for (const [table, column] of Object.entries(EVIDENCE_TABLES)) {
    await database.query(`delete from ${table} where ${column} = $1`, [projectId]);
    await database.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`,
      [backup[table]],
    );
  }
}
