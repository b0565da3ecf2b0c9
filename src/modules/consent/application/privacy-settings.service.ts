import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { diffStates } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { ProjectService } from '../../projects/project.service.js';
import { findVisitorReference, writeVisitorReference } from '../infrastructure/visitor-reference.rows.js';
import { VisitorIndex } from './visitor-index.js';

const SALT_BYTES = 32;

/** How a project's records identify a visitor. */
export interface PrivacySettings {
  /** The name of the additional field; null: none. */
  visitorReferenceField: string | null;
  /** Whether only a salted hash of its value is stored and forwarded. */
  visitorReferenceHashed: boolean;
}

/** The settings, and whether they apply to all stored records. */
export interface PrivacyState extends PrivacySettings {
  /** Stored records are still being indexed; until then some records of a visitor are not found. */
  indexing: boolean;
}

/** Reads and saves how a project's visitors are found. */
@Injectable()
export class PrivacySettingsService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly index: VisitorIndex,
  ) {}

  async read(projectId: string): Promise<PrivacyState> {
    const settings = await read(this.em.fork(), projectId);
    return { ...settings, indexing: await this.index.isUnderWay(projectId) };
  }

  /**
   * Applies to new records; a worker updates the stored ones. Turning hashing off doesn't restore
   * values. The salt is never deleted. `check` gets the stored settings, and may throw.
   */
  async save(
    projectId: string,
    requested: PrivacySettings,
    author: Author,
    check: (stored: PrivacySettings) => void = () => {},
  ): Promise<PrivacyState> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const stored = await read(tx, projectId);
      check(stored);
      const change = diffStates(stored, requested);
      if (!change) return;
      await writeVisitorReference(tx, projectId, {
        field: requested.visitorReferenceField,
        hashed: requested.visitorReferenceHashed,
        salt: randomBytes(SALT_BYTES),
      });
      if (requested.visitorReferenceField === null) await this.index.end(tx, projectId);
      else if (isOtherwiseKept(stored, requested)) await this.index.begin(tx, projectId);
      await writeAudit(tx, author, { projectId, action: 'privacy.save', ...change });
    });
    return this.read(projectId);
  }
}

/** Whether the new settings require indexing stored records again. */
function isOtherwiseKept(stored: PrivacySettings, requested: PrivacySettings): boolean {
  const isHashedNow = requested.visitorReferenceHashed && !stored.visitorReferenceHashed;
  return isHashedNow || stored.visitorReferenceField !== requested.visitorReferenceField;
}

async function read(em: EntityManager, projectId: string): Promise<PrivacySettings> {
  const { field, hashed } = await findVisitorReference(em, projectId);
  return { visitorReferenceField: field, visitorReferenceHashed: hashed };
}
