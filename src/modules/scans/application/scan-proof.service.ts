import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { canonicalJson } from '../../evidence/domain/commitment.js';
import { LogEntries, type Proof } from '../../evidence/log-entries.js';
import { publishedHashAt } from '../../publishing/site-configurations.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { VERSION } from '../../../platform/process/version.js';
import type { ScanStatement } from '../domain/scan-view.js';
import type { ScanRef } from '../infrastructure/evidence.rows.js';
import { knownDataVersions } from '../infrastructure/load-known-services.js';
import { hashItems, findScanWithResult } from '../infrastructure/scan.rows.js';
import {
  insertProof,
  readProof,
  readStatedArtifacts,
  readStatedPages,
  readStatedScan,
  readStatedStates,
} from '../infrastructure/statement.rows.js';

const SALT_BYTES = 32;

/** Adds scans to their projects' logs, and proves them. */
@Injectable()
export class ScanProofService {
  constructor(
    private readonly em: EntityManager,
    private readonly entries: LogEntries,
  ) {}

  /** Adds a scan with a result to the project's log, in the transaction that holds the scan. May run twice. */
  async append(tx: EntityManager, scan: ScanRef): Promise<void> {
    if (await readProof(tx, scan)) return;
    const body = await buildStatement(tx, scan);
    const salt = randomBytes(SALT_BYTES);
    await insertProof(tx, scan, { body: canonicalJson(body), salt });
    await this.entries.append(tx, { projectId: scan.projectId, id: scan.scanId }, { body, salt });
  }

  /**
   * The proof of a scan; null while no signed checkpoint covers it.
   * @throws DomainError `scan_not_found`, `scan_without_result`, `scan_not_sealed` if it will not be in the log
   */
  async prove(projectId: string, scanId: string): Promise<Proof | null> {
    const em = this.em.fork();
    const scan = await findScanWithResult(em, projectId, scanId);
    const stored = await readProof(em, { projectId, scanId: scan.id });
    const committed = stored && {
      member: 'scan' as const,
      salt: stored.salt,
      body: JSON.parse(stored.body) as ScanStatement,
    };
    const ref = { projectId, id: scan.id };
    const result = await this.entries.prove(ref, { committed, endedAt: scan.endedAt });
    switch (result.kind) {
      case 'proved':
        return result.proof;
      case 'pending':
        return null;
      case 'never':
        throw new DomainError('scan_not_sealed', result.sentence);
      case 'damaged':
        throw new DomainError('temporarily_unavailable', result.sentence);
    }
  }
}

async function buildStatement(tx: EntityManager, scan: ScanRef): Promise<ScanStatement> {
  const { startedAt, endedAt, region, ...stated } = await readStatedScan(tx, scan);
  return {
    schemaVersion: 1,
    id: scan.scanId,
    projectId: scan.projectId,
    ...stated,
    location: region,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    configHash: await publishedHashAt(tx, scan.projectId, startedAt),
    rules: { 'consent-service': VERSION, ...knownDataVersions() },
    pages: await readStatedPages(tx, scan),
    states: await readStatedStates(tx, scan),
    items: await hashItems(tx, scan),
    artifacts: await readStatedArtifacts(tx, scan),
  };
}
