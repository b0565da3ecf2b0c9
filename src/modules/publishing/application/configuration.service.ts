import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { isDeepStrictEqual } from 'node:util';
import { writeAudit } from '../../audit/audit.log.js';
import { diffStates } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { GEO_TARGETING_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { TierCheck } from '../../licensing/domain/tier-required.js';
import { findNewestDeadLetter } from '../../../platform/outbox/queued-messages.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import type { Project } from '../../projects/domain/project.js';
import { ProjectService } from '../../projects/project.service.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import type {
  Publication,
  SavedConfiguration,
  SaveNote,
  SiteConfiguration,
  SiteService,
} from '../domain/configuration.js';
import { serviceIdConflicts, withServiceIds } from '../domain/service-ids.js';
import { type MissingTexts, missingTexts } from '../domain/missing-texts.js';
import { PUBLICATIONS_MAX } from '../domain/publishing.limits.js';
import { readDraft, readSaved, writeSaved } from '../infrastructure/configuration.rows.js';
import {
  firstInForce,
  formerServices,
  lastPublication,
  publicationCount,
} from '../infrastructure/publication.rows.js';
import { configurationChangedMessage } from '../publishing.events.js';
import { endDraft } from './draft.service.js';
import { configurationPublished } from './publication-log.js';

/** A saved configuration, compared with the published one. */
export interface ConfigurationView extends Omit<SavedConfiguration, 'note'> {
  /** Whether the tier of this moment publishes region rules. */
  regionRulesAvailable: boolean;
  /** null: nothing was ever published. */
  lastPublication: CurrentPublication | null;
  /** When publishing failed for good, since the last publication; null: it did not. */
  publishFailedAt: Date | null;
}

interface CurrentPublication extends Publication {
  /** When its configuration was first published: a change of tier, for example, publishes it again. */
  liveSince: Date;
}

/** A request to save. */
export interface SaveConfigurationRequest {
  configuration: SiteConfiguration;
  /** The author's comment, for the history. */
  comment: string | null;
  /** The draft that it was made from, which is deleted; null: none, and an existing one is kept. */
  draftVersion: number | null;
  /** Whether it may be published although languages lack texts. */
  confirmMissingTexts: boolean;
}

/** The version that the caller has seen; null: any will do. */
export type ExpectedVersion = number | null;

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
    const last = await lastPublication(em, project.id);
    const failedAt = await findNewestDeadLetter(
      this.em.fork(),
      configurationChangedMessage(project.id).orderingKey,
    );
    return {
      version: saved.version,
      updatedAt: saved.updatedAt,
      configuration: saved.configuration,
      regionRulesAvailable: GEO_TARGETING_TIERS.includes(tier),
      lastPublication: last && {
        ...last,
        liveSince: (await firstInForce(em, project.id, last.configurationVersion)) ?? last.inForceFrom,
      },
      publishFailedAt: failedAt && (!last || last.at < failedAt) ? failedAt : null,
    };
  }

  /**
   * Saves a whole configuration, and deletes the draft that it was made from. Region rules that
   * differ from the saved ones need a tier with that feature (spec §8); unchanged ones are kept on
   * every tier, so that other parts can be changed without losing them.
   *
   * @throws DomainError `version_conflict` (412), `tier_required` (403),
   * `publication_limit_reached` and `texts_incomplete` (409), `validation_failed` (422).
   */
  async save(
    { project, author, requireTier }: { project: Project; author: Author; requireTier: TierCheck },
    { configuration, comment, draftVersion, confirmMissingTexts }: SaveConfigurationRequest,
    expected: ExpectedVersion,
  ): Promise<ConfigurationView> {
    const missing = missingTexts(configuration, new Date());
    if (missing.length > 0 && !confirmMissingTexts) throw textsIncomplete(missing);
    const change = { action: 'configuration.save', author, expected, comment } as const;
    await this.change(project.id, change, async (tx, saved) => {
      const { regionRules } = saved.configuration;
      const newRules =
        configuration.regionRules.length > 0 && !isDeepStrictEqual(configuration.regionRules, regionRules);
      if (newRules) requireTier();
      const draft = draftVersion === null ? null : await readDraft(tx, project.id);
      if (draftVersion !== null) await endDraft(tx, project.id, draftVersion);
      return {
        ...configuration,
        services: await servicesToSave(tx, project.id, {
          services: configuration.services,
          current: [...saved.configuration.services, ...(draft?.configuration?.services ?? [])],
        }),
      };
    });
    return this.read(project);
  }

  /**
   * Makes the configuration of an earlier publication the newest one. Its region rules are restored
   * too, and published if the tier allows them.
   *
   * @throws DomainError `publication_not_found` (404), `version_conflict` (412),
   * `publication_limit_reached` (409).
   */
  async rollBack(
    { project, author }: { project: Project; author: Author },
    { version, comment }: { version: string; comment: string | null },
    expected: ExpectedVersion,
  ): Promise<ConfigurationView> {
    const change = { action: 'configuration.roll_back', author, expected, comment } as const;
    await this.change(project.id, change, (tx) => configurationPublished(tx, project.id, version));
    return this.read(project);
  }

  /** Publishes the configuration again, e.g. after the storage was emptied. */
  async publish(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.outbox.append(tx, configurationChangedMessage(projectId));
      await writeAudit(tx, author, { projectId, action: 'configuration.publish' });
    });
  }

  /** Two saves at once take turns on the project's row, so that each is held against what the other left. */
  private async change(
    projectId: string,
    { action, author, expected, comment }: Change,
    build: (tx: EntityManager, saved: SavedConfiguration) => Promise<SiteConfiguration>,
  ): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const saved = await readSaved(tx, projectId);
      if ((await publicationCount(tx, projectId)) >= PUBLICATIONS_MAX) throw publicationLimitReached();
      if (expected !== null && expected !== saved.version) throw versionConflict(saved.version);
      const configuration = await build(tx, saved);
      const { version } = saved;
      const note: SaveNote = {
        version: version + 1,
        comment,
        author: { kind: author.kind, id: 'id' in author ? author.id : null },
      };
      await writeSaved(tx, projectId, configuration, note);
      await this.outbox.append(tx, configurationChangedMessage(projectId));
      const difference = diffStates(saved.configuration, configuration);
      await writeAudit(tx, author, {
        projectId,
        action,
        before: { version, ...difference?.before },
        after: { version: version + 1, ...(comment !== null && { comment }), ...difference?.after },
      });
    });
  }
}

/**
 * The services with their ids.
 * @throws DomainError `validation_failed` (422) for an id that another service had.
 */
async function servicesToSave(
  tx: EntityManager,
  projectId: string,
  { services, current }: { services: SiteService[]; current: SiteService[] },
): Promise<SiteService[]> {
  const isKept = ({ id }: SiteService): boolean => id !== undefined && current.some((each) => each.id === id);
  if (services.every(isKept)) return services;
  const former = await formerServices(tx, projectId);
  const withIds = withServiceIds(services, [...current, ...former]);
  const taken = serviceIdConflicts(withIds, { current, former });
  if (taken.length === 0) return withIds;
  throw fieldErrors(
    taken.map(({ index, id }) => ({
      field: `services.${index}.id`,
      message: `A former service had the id ${id}. Choose another one.`,
      code: 'service_id_former',
    })),
  );
}

/** A change of a configuration, with its preconditions. */
interface Change {
  action: 'configuration.save' | 'configuration.roll_back';
  author: Author;
  expected: ExpectedVersion;
  comment: string | null;
}

function publicationLimitReached(): DomainError {
  return new DomainError(
    'publication_limit_reached',
    `This project has reached the limit of ${PUBLICATIONS_MAX} published versions. Create a new project for this site.`,
  );
}

function textsIncomplete(missing: MissingTexts[]): DomainError {
  const languages = missing.map(({ language }) => language).join(', ');
  return new DomainError(
    'texts_incomplete',
    `Visitors would see some texts in another language (${languages}). Add them, or send confirmMissingTexts: true.`,
    { members: { missingTexts: missing } },
  );
}

function versionConflict(currentVersion: number): DomainError {
  return new DomainError(
    'version_conflict',
    'Someone else saved the configuration. Read it again and reapply your change.',
    { members: { currentVersion } },
  );
}
