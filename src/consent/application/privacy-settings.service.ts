import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { differenceOf } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import { readVisitorReference, writeVisitorReference } from '../../projects/project.rows.js';
import { projectNotFound, ProjectService } from '../../projects/project.service.js';
import { VisitorIndex } from './visitor-index.js';

const SALT_BYTES = 32;

/** How a project's records name a visitor. */
export interface PrivacySettings {
  /** The additional field; null: none does. */
  visitorReferenceField: string | null;
  /** Whether its value is kept and forwarded as a salted hash alone. */
  visitorReferenceHashed: boolean;
}

/** The same, and how far it is carried through. */
export interface PrivacyState extends PrivacySettings {
  /** Records that were stored before are still gone through: until then not all of a visitor's are found. */
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
   * Holds for records that come from now on; a worker goes through those that are stored. Turning the hash off gives no
   * value back. The salt stays for good, whatever is saved. `check` is told what is stored, and may throw.
   */
  async save(
    projectId: string,
    wanted: PrivacySettings,
    author: Author,
    check: (stored: PrivacySettings) => void = () => {},
  ): Promise<PrivacyState> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const stored = await read(tx, projectId);
      check(stored);
      const change = differenceOf(stored, wanted);
      if (!change) return;
      await writeVisitorReference(tx, projectId, {
        field: wanted.visitorReferenceField,
        hashed: wanted.visitorReferenceHashed,
        salt: wanted.visitorReferenceField === null ? null : randomBytes(SALT_BYTES),
      });
      if (wanted.visitorReferenceField === null) await this.index.end(tx, projectId);
      else if (isOtherwiseKept(stored, wanted)) await this.index.begin(tx, projectId);
      await writeAudit(tx, author, { projectId, action: 'privacy.save', ...change });
    });
    return this.read(projectId);
  }
}

/** Whether stored records lack what the wanted settings say of them. */
function isOtherwiseKept(stored: PrivacySettings, wanted: PrivacySettings): boolean {
  const isHashedNow = wanted.visitorReferenceHashed && !stored.visitorReferenceHashed;
  return isHashedNow || stored.visitorReferenceField !== wanted.visitorReferenceField;
}

async function read(em: EntityManager, projectId: string): Promise<PrivacySettings> {
  const stored = await readVisitorReference(em, projectId);
  if (!stored) throw projectNotFound();
  return { visitorReferenceField: stored.field, visitorReferenceHashed: stored.hashed };
}
