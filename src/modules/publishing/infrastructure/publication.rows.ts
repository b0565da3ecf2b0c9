import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { existingProject } from '../../projects/project.rows.js';
import {
  type Publication,
  type SaveNote,
  type SiteConfiguration,
  storedConfiguration,
} from '../domain/configuration.js';
import { PUBLICATIONS_KEPT_MAX } from '../domain/publishing.limits.js';
import { PublicationSchema } from './publishing.entities.js';
import { publishingTables } from './publishing.tables.js';

/** A publication to store. */
export interface NewPublication {
  configurationVersion: number;
  configuration: SiteConfiguration;
  tier: string;
  contentHash: string;
  regionRulesLeftOut: boolean;
  /** Comment and author of the save; null: none. */
  comment: string | null;
  author: SaveNote['author'] | null;
}

/** Adds a publication; the same document again only updates the time of the last one. Returns whether it is new. */
export async function insertPublication(
  tx: EntityManager,
  projectId: string,
  {
    configurationVersion,
    configuration,
    tier,
    contentHash,
    regionRulesLeftOut,
    comment,
    author,
  }: NewPublication,
): Promise<boolean> {
  // The note belongs to the save: a publication caused only by a tier change has no author and no
  // note.
  const { numAffectedRows } = await sql`
    with last as (
      select version, content_hash, configuration_version from publication
      where project_id = ${projectId} order by version desc limit 1
    ), again as (
      update publication p set at = now()
      from last
      where p.project_id = ${projectId} and p.version = last.version
        and last.content_hash = ${contentHash} and last.configuration_version = ${configurationVersion}
      returning p.version
    )
    insert into publication
      (project_id, version, configuration_version, configuration, tier, content_hash, region_rules_left_out,
       comment, author_kind, author_id)
    select p.id, coalesce((select version from last), 0) + 1, ${configurationVersion},
           ${JSON.stringify(configuration)}::jsonb, ${tier}, ${contentHash}, ${regionRulesLeftOut},
           new.comment, new.author_kind, new.author_id
    from ${existingProject(projectId)} p
    left join (values (${comment}::text, ${author?.kind ?? null}::text, ${author?.id ?? null}::text))
      new (comment, author_kind, author_id)
      on (select configuration_version from last) is distinct from ${configurationVersion}
    where not exists (select from again)
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0) > 0;
}

/**
 * When the newest saved configuration of each project was first published; projects without one are missing. A change
 * of tier, for example, publishes it again.
 */
export async function lastPublishedOf(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select p.id, first.at from unnest(${[...projectIds]}::uuid[]) p (id)
    cross join lateral (
      select configuration_version from publication
      where project_id = p.id and configuration_version > 0 order by version desc limit 1
    ) last
    cross join lateral (
      select coalesce(in_force_from, at) as at from publication
      where project_id = p.id and configuration_version = last.configuration_version order by version limit 1
    ) first
  `.execute(em.getKysely());
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Deletes all but the newest publications of a project. */
export async function deleteOldPublications(tx: EntityManager, projectId: string): Promise<void> {
  const version = { $lte: (await publicationCount(tx, projectId)) - PUBLICATIONS_KEPT_MAX };
  await tx.nativeDelete(PublicationSchema, { projectId, version });
}

/** The parts of a stored publication that the demo needs. */
export interface StoredPublication {
  version: number;
  contentHash: string;
}

/** The publications of a project, the oldest first. */
export function readPublications(em: EntityManager, projectId: string): Promise<StoredPublication[]> {
  return publishingTables(em)
    .selectFrom('publication')
    .select(['version', 'contentHash'])
    .where('projectId', '=', projectId)
    .orderBy('version')
    .execute();
}

/**
 * Dates publications of the demo back. They are deleted and inserted again, because the service's role cannot update
 * published content.
 */
export async function datePublications(
  tx: EntityManager,
  projectId: string,
  dates: { version: number; at: Date }[],
): Promise<void> {
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    delete from publication where project_id = ${projectId} and version = any(${dates.map(({ version }) => version)})
    returning to_jsonb(publication) as row
  `.execute(tx.getKysely());
  const dated = rows.map(({ row }) => {
    const at = dates.find(({ version }) => version === Number(row['version']))?.at;
    return { ...row, at, in_force_from: at };
  });
  await sql`
    insert into publication select * from jsonb_populate_recordset(null::publication, ${JSON.stringify(dated)}::jsonb)
  `.execute(tx.getKysely());
}

/** null: nothing was ever published. */
export async function lastPublication(em: EntityManager, projectId: string): Promise<Publication | null> {
  return (await newestFirst(em, projectId).limit(1).executeTakeFirst()) ?? null;
}

/** When a saved configuration was first published; null: no such publication is kept. */
export async function firstInForce(
  em: EntityManager,
  projectId: string,
  configurationVersion: number,
): Promise<Date | null> {
  const first = await publishingTables(em)
    .selectFrom('publication')
    .select('inForceFrom')
    .where('projectId', '=', projectId)
    .where('configurationVersion', '=', configurationVersion)
    .orderBy('version')
    .limit(1)
    .executeTakeFirst();
  return first?.inForceFrom ?? null;
}

/** How many publications a project ever had; older ones are no longer listed, and their documents are kept. */
export async function publicationCount(em: EntityManager, projectId: string): Promise<number> {
  const last = await publishingTables(em)
    .selectFrom('publication')
    .select('version')
    .where('projectId', '=', projectId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.version ?? 0;
}

/** Publications before a version (null: all), newest first. */
export function readPublicationPage(
  em: EntityManager,
  projectId: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<Publication[]> {
  const page = newestFirst(em, projectId).limit(limit);
  return (before === null ? page : page.where('version', '<', before)).execute();
}

/** Each id of a service with each name that it had in the publications that are kept. */
export async function formerServices(
  em: EntityManager,
  projectId: string,
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select distinct service ->> 'id' as id, service ->> 'name' as name
    from publication p, jsonb_path_query(p.configuration, '$.services[*] ? (exists(@.id))') service
    where p.project_id = ${projectId}
  `.execute(em.getKysely());
  return rows;
}

/** The publication that was shown at an instant; null if none is kept. */
export async function publicationInForceAt(
  em: EntityManager,
  projectId: string,
  at: Date,
): Promise<Publication | null> {
  const found = await newestFirst(em, projectId)
    // The response has milliseconds, and a cursor made from it must find the same row.
    .where(sql<boolean>`date_trunc('milliseconds', in_force_from) <= ${at}`)
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

/** The configuration of a publication; null: no such publication. */
export async function readPublishedConfiguration(
  em: EntityManager,
  projectId: string,
  version: number,
): Promise<SiteConfiguration | null> {
  const found = await publishingTables(em)
    .selectFrom('publication')
    .select('configuration')
    .where('projectId', '=', projectId)
    .where('version', '=', version)
    .executeTakeFirst();
  return found ? storedConfiguration(found.configuration) : null;
}

/** The configuration of the publication before a version; without one, the default. */
export async function configurationBefore(
  em: EntityManager,
  projectId: string,
  version: number,
): Promise<SiteConfiguration> {
  const found = await publishingTables(em)
    .selectFrom('publication')
    .select('configuration')
    .where('projectId', '=', projectId)
    .where('version', '<', version)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return storedConfiguration(found?.configuration ?? null);
}

/** A project's publications, newest first. */
function newestFirst(em: EntityManager, projectId: string) {
  return publishingTables(em)
    .selectFrom('publication')
    .select([
      'version',
      'configurationVersion',
      'tier',
      'contentHash as configHash',
      'regionRulesLeftOut',
      'at',
      'inForceFrom',
      'comment',
      'authorKind',
      'authorId',
    ])
    .where('projectId', '=', projectId)
    .orderBy('version', 'desc');
}
