import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { Project } from '../../projects/domain/project.js';
import { findProject } from '../../projects/project.rows.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { type VisitSettings, visitSettings } from '../../visits/visits.settings.js';
import type { SiteConfiguration } from '../domain/configuration.js';
import type { SavedConfiguration } from '../domain/saved-configuration.js';
import { readSaved } from '../infrastructure/configuration.rows.js';
import { pageScripts } from '../infrastructure/loader-script.js';
import { type RenderedDocument, renderDocument } from '../domain/document.js';

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
    const saved = await readSaved(em, projectId, now);
    return { ...(await this.renderAs(project, saved.configuration, now)), saved };
  }

  /** The document that a configuration would publish, saved or not. */
  async renderAs(project: Project, configuration: SiteConfiguration, now: Date): Promise<RenderedDocument> {
    return renderDocument({
      projectId: project.id,
      domains: project.domains,
      controller: { name: project.controllerName, contact: project.controllerContact },
      tier: await this.licensing.tierOf(project, now),
      configuration,
      publicBaseUrl: this.service.publicBaseUrl,
      scripts: pageScripts(),
      countsVisits: this.visits.enabled,
      at: now,
    });
  }
}
