import { type RawBuilder, sql } from 'kysely';
import type { Span } from '../domain/overview-periods.js';
import { countsOf, lowestId } from './counts-sql.js';

interface SpanRow {
  records: number;
  granting: number;
}

/**
 * A row for each span, in order. Counts come from the rollups, and from the records that the
 * rollups don't contain yet.
 */
export function overviewCounts(projectId: string, spans: Span[]): RawBuilder<SpanRow> {
  return sql<SpanRow>`
    with state as materialized (select done_until from consent_rollup_state),
    fresh as materialized (
      select c.received_at, ${countsOf(sql.raw('c'))} from consent_record c
      where c.project_id = ${projectId} and c.received_at >= (select done_until from state)
        and c.id >= (select ${lowestId(sql`done_until`)} from state)
      group by 1
    )
    select coalesce(sum(n.records), 0)::float8 as records, coalesce(sum(n.granting), 0)::float8 as granting
    from unnest(${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[])
           with ordinality as s (from_at, to_at, position)
    left join lateral (
      select records, records - rejection - withdrawal as granting from consent_rollup_hour
      where project_id = ${projectId} and at >= date_trunc('hour', s.from_at) and at < s.to_at
      union all
      select records, records - rejection - withdrawal from fresh
      where received_at >= s.from_at and received_at < s.to_at
    ) n on true
    group by s.position order by s.position
  `;
}
