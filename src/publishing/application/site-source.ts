import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { Project } from '../../projects/domain/project.js';
import { findProject } from '../../projects/project.rows.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { type VisitSettings, visitSettings } from '../../visits/visits.settings.js';
import { type SiteConfiguration, storedConfiguration } from '../domain/configuration.js';
import type { SaveNote } from '../domain/save-note.js';
import { bannerScript } from '../infrastructure/loader-script.js';
import { publishingTables } from '../infrastructure/publishing.tables.js';
import { type RenderedDocument, renderDocument } from '../domain/document.js';

/** A configuration as it is saved. */
export interface SavedConfiguration {
  /** 0: nothing was ever saved, and the default holds. */
  version: number;
  updatedAt: Date | null;
  configuration: SiteConfiguration;
  /** null: not known, e.g. because an older version of the service has saved it. */
  note: SaveNote | null;
}

/** What would be published at this moment. */
export interface RenderedSite extends RenderedDocument {
  saved: SavedConfiguration;
}

/** Reads what a project publishes, always from the newest rows. */
@Injectable()
export class SiteSource {
  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
    @InjectSettings(visitSettings) private readonly visits: VisitSettings,
  ) {}

  /** null where the project does not exist. */
  async render(projectId: string, now: Date): Promise<RenderedSite | null> {
    const em = this.em.fork();
    const project = await findProject(em, projectId);
    if (!project) return null;
    const saved = await readSaved(em, projectId);
    return { ...(await this.renderAs(project, saved.configuration, now)), saved };
  }

  /** What a configuration would be published as, whether it is saved or not. */
  async renderAs(project: Project, configuration: SiteConfiguration, now: Date): Promise<RenderedDocument> {
    return renderDocument({
      projectId: project.id,
      domains: project.domains,
      controller: { name: project.controllerName, contact: project.controllerContact },
      tier: await this.licensing.tierOf(project, now),
      configuration,
      publicBaseUrl: this.service.publicBaseUrl,
      bannerScript: bannerScript().name,
      countsVisits: this.visits.enabled,
    });
  }
}

/** The project's saved configuration, or the default as version 0. */
export async function readSaved(em: EntityManager, projectId: string): Promise<SavedConfiguration> {
  const row = await publishingTables(em)
    .selectFrom('site_configuration')
    .select(['version', 'configuration', 'updatedAt', 'note'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return {
    version: row?.version ?? 0,
    updatedAt: row?.updatedAt ?? null,
    configuration: storedConfiguration(row?.configuration ?? null),
    note: row?.note?.version === row?.version ? (row?.note ?? null) : null,
  };
}
