import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { isDeepStrictEqual } from 'node:util';
import { writeAudit } from '../../audit/audit.log.js';
import { differenceOf } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { GEO_TARGETING_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { tierRequired } from '../../licensing/domain/tier-required.js';
import type { Role } from '../../access/domain/role.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { Project } from '../../projects/domain/project.js';
import { ProjectService } from '../../projects/project.service.js';
import { DomainError } from '../../shared/domain-error.js';
import { type Page, pageOf, readCursor } from '../../shared/page.js';
import { type SiteConfiguration, storedConfiguration } from '../domain/configuration.js';
import { publishingTables } from '../infrastructure/publishing.tables.js';
import { configurationChangedMessage } from '../publishing.events.js';
import { readSaved, type SavedConfiguration } from './site-source.js';

/** What was published when. */
export interface Publication {
  version: number;
  configurationVersion: number;
  tier: string;
  configHash: string;
  regionRulesLeftOut: boolean;
  at: Date;
}

/** A saved configuration, and how it stands beside what is published. */
export interface ConfigurationView extends SavedConfiguration {
  /** Whether the tier of this moment publishes region rules. */
  regionRulesAvailable: boolean;
  /** null: nothing was ever published. */
  lastPublication: Publication | null;
}

/** The version that the caller has seen; null: any will do. */
export type ExpectedVersion = number | null;

const VERSION = /^\d{1,15}$/;

/** Reads and saves what a project publishes. Each save leaves a message in the outbox, which publishes it. */
@Injectable()
export class ConfigurationService {
  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    private readonly projects: ProjectService,
    private readonly outbox: OutboxService,
  ) {}

  async read(project: Project): Promise<ConfigurationView> {
    const em = this.em.fork();
    const saved = await readSaved(em, project.id);
    const tier = await this.licensing.tierOf(project, new Date());
    const last = await newestFirst(em, project.id).limit(1).executeTakeFirst();
    return {
      ...saved,
      regionRulesAvailable: GEO_TARGETING_TIERS.includes(tier),
      lastPublication: last ?? null,
    };
  }

  /**
   * Saves a whole configuration. Region rules that differ from those saved need a tier that may have them (spec
   * §8); those of better times may stay, so that other parts can be changed without losing them.
   * @throws DomainError `version_conflict` (412), `tier_required` (403).
   */
  async save(
    { project, role, author }: { project: Project; role: Role; author: Author },
    configuration: SiteConfiguration,
    expected: ExpectedVersion,
  ): Promise<ConfigurationView> {
    const resolved = await this.licensing.effective(project, undefined, new Date());
    const change = { action: 'configuration.save', author, expected } as const;
    await this.change(project.id, change, (_, saved) => {
      const { regionRules } = saved.configuration;
      const newRules =
        configuration.regionRules.length > 0 && !isDeepStrictEqual(configuration.regionRules, regionRules);
      if (newRules && !GEO_TARGETING_TIERS.includes(resolved.tier)) {
        throw tierRequired(GEO_TARGETING_TIERS, resolved, role);
      }
      return Promise.resolve(configuration);
    });
    return this.read(project);
  }

  /**
   * Makes the configuration of an earlier publication the newest one. Its region rules come back too, and are
   * published where the tier allows them.
   * @throws DomainError `publication_not_found` (404), `version_conflict` (412).
   */
  async rollBack(
    { project, author }: { project: Project; author: Author },
    version: string,
    expected: ExpectedVersion,
  ): Promise<ConfigurationView> {
    const change = { action: 'configuration.roll_back', author, expected } as const;
    await this.change(project.id, change, async (tx) => {
      const found = VERSION.test(version)
        ? await publishingTables(tx)
            .selectFrom('publication')
            .select('configuration')
            .where('projectId', '=', project.id)
            .where('version', '=', Number(version))
            .executeTakeFirst()
        : undefined;
      if (!found) throw new DomainError('publication_not_found', 'There is no such publication.');
      return storedConfiguration(found.configuration);
    });
    return this.read(project);
  }

  /** Has the configuration published once more, e.g. because somebody emptied the storage. */
  async publish(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.outbox.append(tx, configurationChangedMessage(projectId));
      await writeAudit(tx, author, { projectId, action: 'configuration.publish' });
    });
  }

  /** Newest first. */
  async publications(
    projectId: string,
    query: { limit: number; cursor?: string },
  ): Promise<Page<Publication>> {
    const before = readCursor(query.cursor, (key) => VERSION.test(key));
    const page = newestFirst(this.em.fork(), projectId).limit(query.limit + 1);
    const rows = await (before === null ? page : page.where('version', '<', Number(before))).execute();
    return pageOf(
      rows,
      query.limit,
      (row) => String(row.version),
      (row) => row,
    );
  }

  /** Two saves at once take turns on the project's row, so that each is held against what the other left. */
  private async change(
    projectId: string,
    { action, author, expected }: Change,
    wanted: (tx: EntityManager, saved: SavedConfiguration) => Promise<SiteConfiguration>,
  ): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const saved = await readSaved(tx, projectId);
      if (expected !== null && expected !== saved.version) throw versionConflict(saved.version);
      const configuration = await wanted(tx, saved);
      await sql`
        insert into site_configuration (project_id, version, configuration)
        values (${projectId}, 1, ${JSON.stringify(configuration)}::jsonb)
        on conflict (project_id) do update
        set version = site_configuration.version + 1, configuration = excluded.configuration, updated_at = now()
      `.execute(tx.getKysely());
      await this.outbox.append(tx, configurationChangedMessage(projectId));
      const { version } = saved;
      const difference = differenceOf(saved.configuration, configuration);
      await writeAudit(tx, author, {
        ...{ projectId, action },
        before: { version, ...difference?.before },
        after: { version: version + 1, ...difference?.after },
      });
    });
  }
}

/** What is done to a configuration, and what must be there for it. */
interface Change {
  action: 'configuration.save' | 'configuration.roll_back';
  author: Author;
  expected: ExpectedVersion;
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
    ])
    .where('projectId', '=', projectId)
    .orderBy('version', 'desc');
}

function versionConflict(currentVersion: number): DomainError {
  return new DomainError(
    'version_conflict',
    'Somebody has saved the configuration meanwhile. Read it again, and repeat your change on what is there now.',
    { members: { currentVersion } },
  );
}
