import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { isUuid, newId } from '../../../platform/identity/ids.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { AccessService } from '../../access/access.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { ConsentHooks, type ImportFacts } from '../../consent/consent.hooks.js';
import { RecordRetention } from '../../consent/consent.records.js';
import { IMPORT_FILES_KEPT_DAYS } from '../../licensing/domain/catalogue.js';
import { lockProject } from '../../projects/project.rows.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import {
  ACCOUNT_FILES_BYTES_MAX,
  IMPORT_FILES_DELETED,
  IMPORT_REQUESTED,
  ImportFileError,
  type ImportProfile,
  type ImportState,
  type Mapping,
  OPEN_STATES,
  partsOf,
} from '../domain/import.js';
import { type Progress, emptyProgress } from '../domain/progress.js';
import { ConsentImport } from '../infrastructure/import.entities.js';
import {
  deleteImportsBefore,
  findImport,
  hasOpenImport,
  type ImportRef,
  type ImportRow,
  importsWithOldFiles,
  keptBytes,
  listImports,
  listParts,
  lockImport,
  savePart,
} from '../infrastructure/import.rows.js';
import { type FileKey, ImportStorage, sha256Of } from '../infrastructure/import-storage.js';
import { writeFinished } from './import-worker.js';

const GIB = 1024 ** 3;
/** Missing parts in a response. */
const MISSING_SHOWN_MAX = 100;

export interface NewImport {
  profile: ImportProfile;
  fileName: string;
  size: number;
}

export interface StartOptions {
  dryRun: boolean;
  mapping: Mapping;
  forward: boolean;
}

/** An import as its owners see it. */
export interface ImportView extends Omit<ImportRow, 'projectId' | 'keyCiphertext' | 'keyId' | 'progress'> {
  partCount: number;
  /** Numbers of parts that are not uploaded yet, at most 100. */
  missingParts: number[];
  /** Share of the file that was read, from 0 to 1. */
  share: number;
  filesDeleted: boolean;
  refusals: Progress['refusals'];
  reasons: Progress['reasons'];
  unmapped: Progress['unmapped'];
  droppedColumns: Progress['droppedColumns'];
  sample: Progress['sample'];
}

/** Creates, starts and cancels imports. */
@Injectable()
export class ImportService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly storage: ImportStorage,
    private readonly access: AccessService,
    private readonly hooks: ConsentHooks,
    private readonly projects: ProjectEvents,
  ) {}

  onModuleInit(): void {
    this.hooks.set({ readImport: (ref) => this.facts(ref) });
    this.hooks.addDetail({
      member: 'import',
      read: ({ projectId, importId }) =>
        importId === null ? Promise.resolve(null) : this.facts({ projectId, importId }),
    });
    this.projects.listen({
      deleted: (tx, projectId) =>
        this.outbox.append(tx, {
          orderingKey: namedKey(`import-files:${projectId}`),
          projectId: null,
          topic: IMPORT_FILES_DELETED,
          subjectId: projectId,
        }),
    });
  }

  /** @throws DomainError `import_in_progress`, `import_files_limit_reached` */
  async create(
    projectId: string,
    { profile, fileName, size }: NewImport,
    author: Author,
  ): Promise<ImportView> {
    const ref = { projectId, id: newId() };
    const { ciphertext, keyId } = this.storage.createKey(ref);
    const account = await this.access.accountOf(projectId);
    await this.em.fork().transactional(async (tx) => {
      await lockProject(tx, projectId);
      if (await hasOpenImport(tx, projectId))
        throw new DomainError(
          'import_in_progress',
          'The project has an import that has not ended. Finish or cancel it first.',
        );
      if ((await keptBytes(tx, account)) + size > ACCOUNT_FILES_BYTES_MAX)
        throw new DomainError(
          'import_files_limit_reached',
          `The files of your imports would exceed ${ACCOUNT_FILES_BYTES_MAX / GIB} GiB. They are deleted ${IMPORT_FILES_KEPT_DAYS} days after an import has ended.`,
        );
      await tx.insert(ConsentImport, {
        ...ref,
        profile,
        fileName,
        size,
        state: 'uploading',
        keyCiphertext: ciphertext,
        keyId,
        createdAt: new Date(),
      });
      const after = { profile, fileName, size };
      await writeAudit(tx, author, { projectId, action: 'import.create', target: ref.id, after });
    });
    return this.read(ref);
  }

  /** Stores a part; one that is sent again replaces the former one. @throws DomainError as `requireUploading` */
  async putPart(ref: ImportRef, number: number, bytes: Buffer): Promise<void> {
    const row = await this.requireUploading(ref);
    const { count, bytesOf } = partsOf(row.size);
    if (!Number.isInteger(number) || number < 1 || number > count)
      throw fieldErrors([{ field: 'number', message: `number must be from 1 to ${count}.` }]);
    if (bytes.length !== bytesOf(number))
      throw fieldErrors([
        {
          field: '',
          message: `Part ${number} must have ${bytesOf(number)} bytes, and ${bytes.length} were sent.`,
        },
      ]);
    const part = { number, sha256: sha256Of(bytes) };
    await this.storage.putPart(ref, this.keyOf(row), { ...part, bytes });
    await this.em.fork().transactional(async (tx) => {
      const stored = await lockImport(tx, ref);
      if (stored?.state !== 'uploading') throw wrongState(stored);
      await savePart(tx, ref, part);
    });
  }

  /**
   * Queues the import, or a dry run of it.
   * @throws DomainError `import_not_found`, `import_state_conflict`, `import_parts_missing`
   */
  async start(
    ref: ImportRef,
    { dryRun, mapping, forward }: StartOptions,
    author: Author,
  ): Promise<ImportView> {
    const { projectId, id } = ref;
    const account = await this.access.accountOf(projectId);
    await this.em.fork().transactional(async (tx) => {
      const row = await lockImport(tx, ref);
      if (!row) throw notFound();
      if (row.state !== 'uploading' && row.state !== 'checked') throw wrongState(row);
      const missing = await this.missingParts(tx, row);
      if (missing.length > 0)
        throw new DomainError(
          'import_parts_missing',
          `Parts of the file are missing: ${missing.slice(0, 10).join(', ')}. Upload them first.`,
          { members: { missingParts: missing.slice(0, MISSING_SHOWN_MAX) } },
        );
      await tx.nativeUpdate(ConsentImport, ref, {
        state: dryRun ? 'checking' : 'running',
        mapping,
        forward,
        progress: emptyProgress(),
        rowsRead: 0,
        stored: 0,
        repeated: 0,
        refused: 0,
        ...(!dryRun && { startedAt: new Date() }),
      });
      const orderingKey = namedKey(`import:${account}`);
      await this.outbox.append(tx, { orderingKey, projectId, topic: IMPORT_REQUESTED, subjectId: id });
      const after = { dryRun, forward, mappedNames: Object.keys(mapping).length };
      await writeAudit(tx, author, { projectId, action: 'import.start', target: id, after });
    });
    return this.read(ref);
  }

  /**
   * Ends an import. Its stored records remain.
   * @throws DomainError `import_not_found`, `import_state_conflict`
   */
  async cancel(ref: ImportRef, author: Author): Promise<ImportView> {
    const { projectId, id } = ref;
    await this.em.fork().transactional(async (tx) => {
      const row = await lockImport(tx, ref);
      if (!row) throw notFound();
      if (!isOpen(row.state)) throw wrongState(row);
      await cancelRow(tx, row);
      const after = { state: row.state, stored: row.stored };
      await writeAudit(tx, author, { projectId, action: 'import.cancel', target: id, after });
    });
    return this.read(ref);
  }

  /** @throws DomainError `import_not_found` */
  async read(ref: ImportRef): Promise<ImportView> {
    const em = this.em.fork();
    return this.toView(em, await this.require(ref));
  }

  async list(projectId: string, page: { after: string | null; limit: number }): Promise<ImportView[]> {
    const em = this.em.fork();
    const rows = await listImports(em, projectId, page);
    return Promise.all(rows.map((row) => this.toView(em, row)));
  }

  /**
   * An import with the key of its files.
   * @throws DomainError `import_not_found`, `import_files_deleted`
   */
  async requireFiles(ref: ImportRef): Promise<{ row: ImportRow; key: FileKey }> {
    const row = await this.require(ref);
    return { row, key: this.keyOf(row) };
  }

  private keyOf(row: ImportRow): FileKey {
    const deleted = new DomainError('import_files_deleted', 'The files of this import are deleted.');
    try {
      const key = this.storage.openKey(row);
      if (!key) throw deleted;
      return key;
    } catch (error) {
      // Without the key of SECRET_KEYS, nothing of the files is left.
      throw error instanceof ImportFileError ? deleted : error;
    }
  }

  private async require(ref: ImportRef): Promise<ImportRow> {
    const row = isUuid(ref.id) ? await findImport(this.em.fork(), ref) : null;
    if (!row) throw notFound();
    return row;
  }

  private async requireUploading(ref: ImportRef): Promise<ImportRow> {
    const row = await this.require(ref);
    if (row.state !== 'uploading') throw wrongState(row);
    return row;
  }

  private async missingParts(em: EntityManager, row: ImportRow): Promise<number[]> {
    const stored = new Set((await listParts(em, row)).map(({ number }) => number));
    const all = Array.from({ length: partsOf(row.size).count }, (_, index) => index + 1);
    return all.filter((number) => !stored.has(number));
  }

  private async toView(em: EntityManager, row: ImportRow): Promise<ImportView> {
    const { projectId: _, keyCiphertext: __, keyId, progress, ...shown } = row;
    const { refusals, reasons, unmapped, droppedColumns, sample, bytesRead } = progress ?? emptyProgress();
    const isRead = row.state === 'checked' || row.state === 'finished';
    const missing = row.state === 'uploading' ? await this.missingParts(em, row) : [];
    return {
      ...shown,
      partCount: partsOf(row.size).count,
      missingParts: missing.slice(0, MISSING_SHOWN_MAX),
      share: isRead ? 1 : Math.min(1, bytesRead / row.size),
      filesDeleted: keyId === null,
      refusals,
      reasons,
      unmapped,
      droppedColumns,
      sample,
    };
  }

  private async facts({
    projectId,
    importId,
  }: {
    projectId: string;
    importId: string;
  }): Promise<ImportFacts | null> {
    const row = await findImport(this.em.fork(), { projectId, id: importId });
    if (!row?.sha256) return null;
    const { profile, startedAt, createdAt, sha256 } = row;
    return { profile, importedAt: startedAt ?? createdAt, fileSha256: sha256 };
  }
}

const isOpen = (state: ImportState): boolean => (OPEN_STATES as readonly ImportState[]).includes(state);

/** Cancels a locked import that has not ended. */
async function cancelRow(tx: EntityManager, row: ImportRow): Promise<void> {
  const { projectId, id } = row;
  await tx.nativeUpdate(ConsentImport, { projectId, id }, { state: 'canceled', endedAt: new Date() });
  await writeFinished(tx, row, 'canceled');
}

function notFound(): DomainError {
  return new DomainError('import_not_found', 'Import not found in this project.');
}

/** The error for an import in another state. */
function wrongState(row: ImportRow | null): DomainError {
  if (!row) return notFound();
  const sentence = isOpen(row.state)
    ? 'The file of this import is complete and being read. Wait until that has ended, or cancel the import.'
    : 'The import has ended.';
  return new DomainError('import_state_conflict', sentence, { members: { state: row.state } });
}

const CLEANUP_EVERY_MS = 60 * 60_000;
const CLEANUP_AT_ONCE = 100;

/**
 * Deletes the files of imports that ended, or were left without a start, seven days ago, and imports whose records are
 * all past their retention.
 */
@Injectable()
export class ImportCleanup implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly storage: ImportStorage,
    private readonly maintenance: Maintenance,
    private readonly retention: RecordRetention,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'import-files',
      everyMs: CLEANUP_EVERY_MS,
      run: async () => {
        await this.deleteFiles();
      },
    });
  }

  /** Returns the number of imports. */
  async deleteFiles(): Promise<number> {
    const old = await importsWithOldFiles(this.em.fork(), CLEANUP_AT_ONCE);
    for (const { projectId, id } of old) {
      const ref = { projectId, id };
      const hasEnded = await this.em.fork().transactional(async (tx) => {
        const row = await lockImport(tx, ref);
        if (!row || row.state === 'running' || row.state === 'checking') return false;
        if (isOpen(row.state)) await cancelRow(tx, row);
        return true;
      });
      if (!hasEnded) continue;
      await this.storage.removeImport(ref);
      await this.em.fork().nativeUpdate(ConsentImport, ref, { keyCiphertext: null, keyId: null });
    }
    await deleteImportsBefore(this.em.fork(), this.retention.keptSince(new Date()));
    return old.length;
  }
}
