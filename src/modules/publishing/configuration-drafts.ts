import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../audit/audit.log.js';
import type { Author } from '../audit/domain/author.js';
import { ProjectService } from '../projects/project.service.js';
import { changesBetween, type ConfigurationChange } from './domain/configuration-changes.js';
import type { SiteConfiguration } from './domain/configuration.js';
import { readDraft, readSaved, writeDraft } from './infrastructure/configuration.rows.js';

/** Public interface of publishing for modules that propose changes of a configuration. Nothing is published. */
@Injectable()
export class ConfigurationDrafts {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
  ) {}

  /**
   * Changes the project's draft, or begins one from the saved configuration. Returns how it differs from the saved
   * configuration. Without a change, no draft is written.
   */
  revise<Revised extends { configuration: SiteConfiguration }>(
    { projectId, author }: { projectId: string; author: Author },
    change: (base: SiteConfiguration) => Revised,
  ): Promise<{ revised: Revised; changes: ConfigurationChange[] }> {
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const [saved, draft] = [await readSaved(tx, projectId), await readDraft(tx, projectId)];
      const base = draft.configuration ?? saved.configuration;
      const revised = change(base);
      const { configuration } = revised;
      if (changesBetween(base, configuration).length > 0) {
        await writeDraft(tx, projectId, { configuration, basedOn: draft.basedOn ?? saved.version });
        await writeAudit(tx, author, {
          projectId,
          action: 'configuration.save_draft',
          before: { version: draft.version },
          after: { version: draft.version + 1 },
        });
      }
      return { revised, changes: changesBetween(saved.configuration, configuration) };
    });
  }
}
