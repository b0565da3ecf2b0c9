import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { previewHostPattern } from '../../licensing/domain/preview-host.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import type { Project } from '../../projects/domain/project.js';
import { findProject } from '../../projects/project.rows.js';
import { type VisitSettings, visitSettings } from '../../visits/visits.settings.js';
import type { SavedConfiguration, SiteConfiguration } from '../domain/configuration.js';
import { declarations } from '../domain/declaration.js';
import { declarationPage, withOwnChoice } from '../domain/declaration-page.js';
import {
  choosePageScript,
  renderDocument,
  type RenderedDocument,
  type SiteDocument,
} from '../domain/document.js';
import { LOGO_NAME } from '../domain/logo.js';
import { LANGUAGE_FILE, type VisitorConfiguration, visitorFiles } from '../domain/visitor-files.js';
import { EU_REGIONS } from '../domain/region.js';
import { readSaved } from '../infrastructure/configuration.rows.js';
import {
  blockerScript,
  declarationScript,
  type LoaderScript,
  loaderScript,
  PAGE_SCRIPT_NAME,
  pageScript,
  pageScripts,
  withTag,
} from '../infrastructure/loader-script.js';
import { SiteStorage } from '../infrastructure/site-storage.js';

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

/** Reads the published files, as visitors get them. */
@Injectable()
export class SiteReader {
  constructor(
    private readonly storage: SiteStorage,
    private readonly source: SiteSource,
  ) {}

  /**
   * The published configuration; before the first publication, the one that would be published now.
   * null: the project does not exist.
   */
  async read(projectId: string): Promise<VisitorConfiguration | null> {
    const published = await this.storage.read(`${projectId}/config.json`);
    if (published === null) {
      const site = await this.source.render(projectId, new Date());
      return site && visitorFiles(site.document).configuration;
    }
    const document = JSON.parse(published) as VisitorConfiguration;
    // The loader is this build's; the document may be an older build's until it is published again.
    return {
      ...document,
      bannerScript: currentScript(document),
      ...(document.serviceScript && { serviceScript: pageScripts().services }),
      previewHosts: document.previewHosts ?? previewHostPattern(document.ownPreviewHosts),
      euRegions: document.euRegions ?? EU_REGIONS.split(' '),
    };
  }

  /** A banner or signals by file name; of another build only if they were published. null: no such file. */
  async pageScript(projectId: string, name: string): Promise<LoaderScript | null> {
    const built = pageScript(name);
    if (built) return built;
    if (!PAGE_SCRIPT_NAME.test(name)) return null;
    const body = await this.storage.read(`${projectId}/${name}`);
    return body === null ? null : { body, etag: `"${name}"` };
  }

  /** Texts of one language by their file name; null for a name that the project has not published. */
  async languageFile(projectId: string, name: string): Promise<LoaderScript | null> {
    if (!LANGUAGE_FILE.test(name)) return null;
    const published = await this.storage.read(`${projectId}/${name}`);
    const etag = `"${name}"`;
    if (published !== null) return { body: published, etag };
    if ((await this.storage.read(`${projectId}/config.json`)) !== null) return null;
    // `read` names it before the first publication.
    const site = await this.source.render(projectId, new Date());
    const file = site && visitorFiles(site.document).files.find((each) => each.name === name);
    return file ? { body: file.body, etag } : null;
  }

  /** The blocker with the published rules, or the saved ones before the first publication. null: no such project. */
  async blocker(projectId: string): Promise<LoaderScript | null> {
    const published = await this.storage.read(`${projectId}/blocker.js`);
    if (published !== null) return withTag(published);
    const site = await this.source.render(projectId, new Date());
    return site && withTag(blockerScript(projectId, site.saved.configuration));
  }

  /** The embeddable declaration of the published document, or of the one that would be published. null: no such project. */
  async declaration(projectId: string): Promise<LoaderScript | null> {
    const published = await this.storage.read(`${projectId}/declaration.js`);
    if (published !== null) return withTag(published);
    const document = await this.read(projectId);
    return document && withTag(declarationScript(document));
  }

  /** The same as a page; `onSite`: on the site's own host, with the visitor's choice. */
  async declarationPage(projectId: string, { onSite }: { onSite: boolean }): Promise<LoaderScript | null> {
    let page = await this.storage.read(`${projectId}/declaration.html`);
    if (page === null) {
      const document = await this.read(projectId);
      if (!document) return null;
      page = declarationPage(declarations(document), { ...document, updatedAt: null });
    }
    return withTag(onSite ? withOwnChoice(page) : page);
  }

  /** A published logo by its file name, or the one that `read` names before the first publication; null for any other. */
  async logo(projectId: string, name: string): Promise<Buffer | null> {
    if (!LOGO_NAME.test(name)) return null;
    const body = await this.storage.readBytes(`${projectId}/${name}`);
    if (body !== null || (await this.storage.read(`${projectId}/config.json`)) !== null) return body;
    const logo = (await this.source.render(projectId, new Date()))?.logo;
    return logo?.name === name ? logo.body : null;
  }

  /** The loader, the same for every project: it finds its project in its own address. */
  loader(): LoaderScript {
    return loaderScript();
  }
}

/** The script of this build for a document: an older one may not work with this build's loader. */
function currentScript({ banner, bannerScript, signals, serviceChoice }: SiteDocument): string | null {
  if (bannerScript === null) return null;
  const needs = {
    hasBanner: banner.enabled,
    hasSignals: signals !== undefined,
    isByService: serviceChoice !== undefined,
  };
  return choosePageScript(pageScripts(), needs) ?? bannerScript;
}
