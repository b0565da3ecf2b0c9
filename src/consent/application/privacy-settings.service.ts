import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { differenceOf } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { readVisitorReference, writeVisitorReference } from '../../projects/project.rows.js';
import { projectNotFound, ProjectService } from '../../projects/project.service.js';

const SALT_BYTES = 32;

/** How a project's records name a visitor. */
export interface PrivacySettings {
  /** The additional field; null: none does. */
  visitorReferenceField: string | null;
  /** Whether its value is kept and forwarded as a salted hash alone. */
  visitorReferenceHashed: boolean;
}

/** Reads and saves how a project's visitors are found. */
@Injectable()
export class PrivacySettingsService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
  ) {}

  async read(projectId: string): Promise<PrivacySettings> {
    return read(this.em.fork(), projectId);
  }

  /** Holds for records that come from now on. The salt stays for good, whatever is saved. */
  async save(projectId: string, wanted: PrivacySettings, author: Author): Promise<PrivacySettings> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const change = differenceOf(await read(tx, projectId), wanted);
      if (!change) return;
      await writeVisitorReference(tx, projectId, {
        field: wanted.visitorReferenceField,
        hashed: wanted.visitorReferenceHashed,
        salt: wanted.visitorReferenceField === null ? null : randomBytes(SALT_BYTES),
      });
      await writeAudit(tx, author, { projectId, action: 'privacy.save', ...change });
    });
    return wanted;
  }
}

async function read(em: EntityManager, projectId: string): Promise<PrivacySettings> {
  const stored = await readVisitorReference(em, projectId);
  if (!stored) throw projectNotFound();
  return { visitorReferenceField: stored.field, visitorReferenceHashed: stored.hashed };
}
