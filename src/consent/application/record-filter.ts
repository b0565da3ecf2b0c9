import { type RawBuilder, sql } from 'kysely';
import { lowestIdReceivedAfter, lowestIdReceivedAt } from '../infrastructure/record-range.js';

/**
 * What selects records, in the list and in an export; absent ones match all. Instants are of receipt: `from`
 * inclusive, `to` exclusive.
 */
export interface RecordFilter {
  from?: Date;
  to?: Date;
  action?: string;
  hostname?: string;
  analytics?: boolean;
  marketing?: boolean;
  preferences?: boolean;
  configHash?: string;
  /** In any case. */
  language?: string;
  surface?: string;
}

/**
 * Where the filter's records can be: its instants bound the id, within what an id may differ from its receipt, so
 * that the months outside are not read at all.
 */
export function rangeOf(projectId: string, { from, to }: RecordFilter): RawBuilder<unknown>[] {
  const range: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
  if (from) range.push(sql`c.id >= ${lowestIdReceivedAt(from)}::uuid`);
  if (to) range.push(sql`c.id < ${lowestIdReceivedAfter(to)}::uuid`);
  return range;
}

/** Which of them the filter wants. */
export function filtersOf(filter: RecordFilter): RawBuilder<unknown>[] {
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
