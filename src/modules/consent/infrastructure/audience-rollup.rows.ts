import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import { OTHER_NAME, ROLLUP_LANGUAGES_MAX, ROLLUP_REGIONS_MAX } from '../domain/consent-counts.js';
import { ADDED, COUNTS, countsOf, idsOfReceived, namedLanguage, namedRegion, SUMMED } from './counts-sql.js';

/** Records received from `from` (inclusive) to `to` (exclusive), of one project or of all. */
export interface Slice {
  from: Date;
  to: Date;
  projectId?: string;
}

/**
 * Adds a slice of records to the counts by region and by language, of their hours and days, in one
 * read. Names that the project's hour or day already has are kept; the most frequent new ones fill
 * the limit, and the others are counted together as `OTHER_NAME`.
 */
export async function addUpAudience(tx: EntityManager, { from, to, projectId }: Slice): Promise<void> {
  await sql`
    with slice as materialized (
      select c.project_id, date_trunc('hour', c.received_at, 'UTC') as at,
             ${namedRegion(sql.raw('c.extra'))} as region,
             ${namedLanguage(sql.raw('c.language'), sql.raw('c.extra'))} as language, ${countsOf(sql.raw('c'))}
      from consent_record c ${joinProject(sql.ref('c.project_id'))}
      where c.received_at >= ${from} and c.received_at < ${to}
        and ${idsOfReceived({ from, to })}
        ${projectId === undefined ? sql`` : sql`and c.project_id = ${projectId}`}
      group by 1, 2, 3, 4
    ), step as materialized (
      select s.project_id, n.span, n.at, n.dimension, n.name, ${SUMMED}
      from slice s cross join lateral (values
        ('hour', s.at, 'region', s.region), ('hour', s.at, 'language', s.language),
        ('day', date_trunc('day', s.at, 'UTC'), 'region', s.region),
        ('day', date_trunc('day', s.at, 'UTC'), 'language', s.language)
      ) n (span, at, dimension, name)
      group by 1, 2, 3, 4, 5
    ), known as materialized (
      select t.project_id, t.span, t.at, t.dimension, k.name
      from (select distinct project_id, span, at, dimension from step) t cross join lateral (
        select r.name from consent_rollup_audience r
        where r.project_id = t.project_id and r.span = t.span and r.at = t.at and r.dimension = t.dimension
      ) k
    ), room as (
      select project_id, span, at, dimension, count(*) filter (where name not in ('', ${OTHER_NAME})) as used
      from known group by 1, 2, 3, 4
    ), requested as (
      select s.*, s.name in ('', ${OTHER_NAME}) or k.name is not null as kept
      from step s left join known k using (project_id, span, at, dimension, name)
    ), ranked as (
      select w.*, row_number() over (
               partition by project_id, span, at, dimension, kept order by records desc, name
             ) as place
      from requested w
    )
    insert into consent_rollup_audience as r (project_id, span, at, dimension, name, ${COUNTS})
    select project_id, span, at, dimension,
           case when kept or place + coalesce(room.used, 0) <=
                  case dimension when 'region' then ${ROLLUP_REGIONS_MAX}::int else ${ROLLUP_LANGUAGES_MAX}::int end
                then name else ${OTHER_NAME} end,
           ${SUMMED}
    from ranked left join room using (project_id, span, at, dimension)
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5
    on conflict (project_id, span, at, dimension, name) do update set ${ADDED}
  `.execute(tx.getKysely());
}
