import { type RawBuilder, sql } from 'kysely';
import type { RecordFilter } from '../domain/record-filter.js';
import { lowestIdReceivedAfter, lowestIdReceivedAt } from './record-range.js';

/** Conditions on the primary key: the project, and the ids that records of the period can have (record-range.ts). */
export function rangeConditions(projectId: string, { from, to }: RecordFilter): RawBuilder<unknown>[] {
  const range: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
  if (from) range.push(sql`c.id >= ${lowestIdReceivedAt(from)}::uuid`);
  if (to) range.push(sql`c.id < ${lowestIdReceivedAfter(to)}::uuid`);
  return range;
}

/** The filter's conditions on everything else. */
export function filterConditions(filter: RecordFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (filter.from) conditions.push(sql`c.received_at >= ${filter.from}`);
  if (filter.to) conditions.push(sql`c.received_at < ${filter.to}`);
  if (filter.action !== undefined) conditions.push(sql`c.action = ${filter.action}`);
  if (filter.hostname !== undefined) conditions.push(sql`c.hostname = ${filter.hostname.toLowerCase()}`);
  for (const flag of ['analytics', 'marketing', 'preferences'] as const) {
    if (filter[flag] !== undefined) conditions.push(sql`${sql.ref(`c.${flag}`)} = ${filter[flag]}`);
  }
  if (filter.configHash !== undefined) conditions.push(sql`c.config_hash = ${filter.configHash}`);
  if (filter.language !== undefined)
    conditions.push(sql`lower(c.language) = ${filter.language.toLowerCase()}`);
  if (filter.surface !== undefined) conditions.push(sql`c.surface = ${filter.surface}`);
  return conditions;
}
