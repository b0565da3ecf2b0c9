import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { AuditAction } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { ProjectService } from '../../projects/project.service.js';
import { changesBetween, type ConfigurationChange } from '../domain/configuration-changes.js';
import type { Draft, SiteConfiguration } from '../domain/configuration.js';
import type { RenderedDocument } from '../domain/document.js';
import { type MissingTexts, missingTexts } from '../domain/missing-texts.js';
import { withServiceIds } from '../domain/service-ids.js';
import { type VisitorBytes, visitorBytes, visitorFiles } from '../domain/visitor-files.js';
import { expireDrafts, readDraft, readSaved, writeDraft } from '../infrastructure/configuration.rows.js';
import { SiteSource } from './site-reader.js';

/** The document that a draft would publish, and its differences from the saved configuration. */
export interface Preview extends RenderedDocument {
  changes: ConfigurationChange[];
  visitorBytes: VisitorBytes[];
  missingTexts: MissingTexts[];
}

/** Keeps one draft for each project, for all who work on it, and shows what it would be published as. */
@Injectable()
export class DraftService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly source: SiteSource,
  ) {}

  read(projectId: string): Promise<Draft> {
    return readDraft(this.em.fork(), projectId);
  }

  /** @throws DomainError `version_conflict` (412) where `expected` (null: any) is another version. */
  async save(
    { projectId, author }: { projectId: string; author: Author },
    requested: { configuration: SiteConfiguration; basedOn: number },
    expected: number | null,
  ): Promise<Draft> {
    return this.change({ projectId, author, action: 'configuration.save_draft' }, requested, expected);
  }

  /** Throws the draft away. @throws DomainError `version_conflict` (412) as above. */
  async discard(
    { projectId, author }: { projectId: string; author: Author },
    expected: number | null,
  ): Promise<void> {
    await this.change({ projectId, author, action: 'configuration.discard_draft' }, null, expected);
  }

  /** Renders a configuration as it would be published now. Nothing is stored. */
  async preview(project: Project, requested: SiteConfiguration): Promise<Preview> {
    const saved = await readSaved(this.em.fork(), project.id);
    const now = new Date();
    const configuration = withKnownIds(requested, saved.configuration);
    const rendered = await this.source.renderAs(project, configuration, now);
    return {
      ...rendered,
      changes: changesBetween(saved.configuration, configuration),
      visitorBytes: visitorBytes(visitorFiles(rendered.document)),
      missingTexts: missingTexts(configuration, now),
    };
  }

  private change(
    { projectId, author, action }: { projectId: string; author: Author; action: AuditAction },
    requested: { configuration: SiteConfiguration; basedOn: number } | null,
    expected: number | null,
  ): Promise<Draft> {
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const draft = await readDraft(tx, projectId);
      if (expected !== null && expected !== draft.version) throw draftConflict(draft.version);
      if (requested === null && draft.configuration === null) return draft;
      const saved = await readSaved(tx, projectId);
      await writeDraft(
        tx,
        projectId,
        requested && {
          ...requested,
          configuration: withKnownIds(requested.configuration, saved.configuration),
        },
      );
      const { version } = draft;
      // The content is audited when it is published.
      await writeAudit(tx, author, {
        projectId,
        action,
        before: { version },
        after: { version: version + 1 },
      });
      return readDraft(tx, projectId);
    });
  }
}

const withKnownIds = (requested: SiteConfiguration, saved: SiteConfiguration): SiteConfiguration => ({
  ...requested,
  services: withServiceIds(requested.services, saved.services),
});

/**
 * Deletes the published draft, in the transaction that holds the project's row lock.
 *
 * @throws DomainError `version_conflict` (412) if the draft has changed.
 */
export async function endDraft(tx: EntityManager, projectId: string, version: number): Promise<void> {
  const draft = await readDraft(tx, projectId);
  if (draft.version !== version) throw draftConflict(draft.version);
  if (draft.configuration !== null) await writeDraft(tx, projectId, null);
}

function draftConflict(currentVersion: number): DomainError {
  return new DomainError(
    'version_conflict',
    'Someone else saved the draft. Read it again and reapply your change.',
    { members: { currentVersion } },
  );
}

const EVERY_MS = 60 * 60_000;
/** Drafts that one transaction discards, and batches of one run. */
const BATCH_ROWS = 100;
const BATCHES_MAX = 100;

/** Discards drafts that were neither saved nor published for a long time. */
@Injectable()
export class DraftExpiry implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'configuration-drafts',
      everyMs: EVERY_MS,
      run: (now) => this.expire(now),
    });
  }

  /** Oldest first; returns the number of drafts that expired. The row stays, so that a version is never used twice. */
  async expire(now: Date): Promise<number> {
    let total = 0;
    for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
      const expired = await this.em.fork().transactional((tx) => expireBatch(tx, now));
      total += expired;
      if (expired < BATCH_ROWS) break;
    }
    return total;
  }
}

async function expireBatch(tx: EntityManager, now: Date): Promise<number> {
  const drafts = await expireDrafts(tx, now, BATCH_ROWS);
  for (const { projectId, version } of drafts)
    await writeAudit(
      tx,
      { kind: 'system' },
      {
        projectId,
        action: 'configuration.discard_draft',
        before: { version: version - 1 },
        after: { version },
      },
    );
  return drafts.length;
}
