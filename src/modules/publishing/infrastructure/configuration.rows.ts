import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { DRAFT_DAYS_KEPT } from '../domain/publishing.limits.js';
import {
  type Draft,
  type SavedConfiguration,
  type SaveNote,
  type SiteConfiguration,
  type StoredConfiguration,
  storedConfiguration,
} from '../domain/configuration.js';
import { withPresetModes } from '../domain/region-preset.js';
import { ConfigurationDraftEntity, SiteConfigurationEntity } from './publishing.entities.js';
import { publishingTables } from './publishing.tables.js';

/** The project's saved configuration with the modes that its presets have at an instant, or the default as version 0. */
export async function readSaved(
  em: EntityManager,
  projectId: string,
  at = new Date(),
): Promise<SavedConfiguration> {
  const row = await publishingTables(em)
    .selectFrom('site_configuration')
    .select(['version', 'configuration', 'updatedAt', 'note'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return {
    version: row?.version ?? 0,
    updatedAt: row?.updatedAt ?? null,
    configuration: withPresetModes(storedConfiguration(row?.configuration ?? null), at),
    note: row?.note?.version === row?.version ? (row?.note ?? null) : null,
  };
}

/** Stores a configuration as the next version; the caller has locked the project. */
export async function writeSaved(
  tx: EntityManager,
  projectId: string,
  configuration: SiteConfiguration,
  note: SaveNote,
): Promise<void> {
  const saved = { configuration, note, updatedAt: new Date() };
  const row = await tx.findOne(SiteConfigurationEntity, { projectId });
  if (row) Object.assign(row, { ...saved, version: row.version + 1 });
  else tx.create(SiteConfigurationEntity, { projectId, version: 1, ...saved });
  await tx.flush();
}

/** The draft, as above. */
export async function readDraft(em: EntityManager, projectId: string): Promise<Draft> {
  const row = await publishingTables(em)
    .selectFrom('configuration_draft')
    .select(['version', 'configuration', 'basedOn', 'updatedAt'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  const { version = 0, configuration = null, basedOn = null, updatedAt = null } = row ?? {};
  if (configuration === null) return { version, configuration, basedOn: null, updatedAt: null };
  const stored = storedConfiguration(configuration);
  return { version, configuration: withPresetModes(stored, new Date()), basedOn, updatedAt };
}

/** When the draft of each project was saved; projects without one are missing. */
export async function draftTimes(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await publishingTables(em)
    .selectFrom('configuration_draft')
    .select(['projectId', 'updatedAt'])
    .where('projectId', 'in', projectIds)
    .where('configuration', 'is not', null)
    .execute();
  return new Map(rows.map(({ projectId, updatedAt }) => [projectId, updatedAt]));
}

/** Writes or deletes (null) the draft of a locked project. The row stays, so that a version is never used twice. */
export async function writeDraft(
  tx: EntityManager,
  projectId: string,
  draft: { configuration: SiteConfiguration; basedOn: number } | null,
): Promise<void> {
  const { configuration = null, basedOn = 0 } = draft ?? {};
  const saved = { configuration, basedOn, updatedAt: new Date() };
  // Drafts also expire, without the project's lock.
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const row = await tx.findOne(ConfigurationDraftEntity, { projectId }, lock);
  if (row) Object.assign(row, { ...saved, version: row.version + 1 });
  else tx.create(ConfigurationDraftEntity, { projectId, version: 1, ...saved });
  await tx.flush();
}

/** Deletes at most `limit` drafts that are too old, oldest first; returns their projects and new versions. */
export async function expireDrafts(
  tx: EntityManager,
  now: Date,
  limit: number,
): Promise<{ projectId: string; version: number }[]> {
  const { rows } = await sql<{ projectId: string; version: number }>`
    update configuration_draft set configuration = null, version = version + 1, updated_at = ${now}
    where project_id = any(array(
      select project_id from configuration_draft
      where configuration is not null
        and updated_at < ${now}::timestamptz - make_interval(days => ${DRAFT_DAYS_KEPT})
      order by updated_at limit ${limit} for update skip locked))
    returning project_id as "projectId", version::float8 as version
  `.execute(tx.getKysely());
  return rows;
}

/** A project whose saved configuration uses presets, with its last publication of this save. */
export interface PresetUser {
  projectId: string;
  configuration: StoredConfiguration;
  last: { configuration: StoredConfiguration; contentHash: string };
}

/** By project; without projects whose newest save is not published yet. */
export async function presetUsersAfter(
  em: EntityManager,
  after: string | null,
  limit: number,
): Promise<PresetUser[]> {
  const { rows } = await sql<PresetUser>`
    select s.project_id as "projectId", s.configuration,
           jsonb_build_object('configuration', last.configuration, 'contentHash', last.content_hash) as last
    from site_configuration s
    cross join lateral (
      select configuration, content_hash, configuration_version from publication
      where project_id = s.project_id order by version desc limit 1
    ) last
    where (${after}::uuid is null or s.project_id > ${after}::uuid)
      and last.configuration_version = s.version
      and (s.configuration @? '$.defaultPreset.id' or s.configuration @? '$.regionRules[*].preset')
    order by s.project_id limit ${limit}
  `.execute(em.getKysely());
  return rows;
}
