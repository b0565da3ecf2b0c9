import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '../limits/fair-semaphore.js';

/**
 * Concurrent exports in one process. A slow reader costs the memory of some batches, and no
 * connection.
 */
export const EXPORTS_MAX = 12;
/**
 * Concurrent exports of the projects of one account, API keys included: at least four accounts
 * share a process.
 */
export const EXPORTS_PER_ACCOUNT_MAX = 3;
/** Concurrent exports of one project. */
const EXPORTS_PER_PROJECT_MAX = 1;
const WAITING = { waitMs: 5_000, retryAfterSeconds: 10 };

/** The project and account that an export counts against. */
export interface ExportSubject {
  projectId: string;
  /** The account that owns the project: `AccessService.accountOf`. */
  accountId: string;
}

/** Limits concurrent exports in this process: of records, visitors' records, audit events, and proofs as PDF. */
@Injectable()
export class ExportPermits {
  private readonly ofAccounts = new FairSemaphore({
    ...WAITING,
    permits: Infinity,
    permitsPerKey: EXPORTS_PER_ACCOUNT_MAX,
    noun: 'account',
    waitingPerKeyMax: EXPORTS_PER_ACCOUNT_MAX,
  });
  private readonly ofProjects = new FairSemaphore({
    ...WAITING,
    permits: EXPORTS_MAX,
    permitsPerKey: EXPORTS_PER_PROJECT_MAX,
    noun: 'project',
    waitingPerKeyMax: 1,
  });

  /**
   * Acquires a permit for an export. The returned function releases it.
   * @throws DomainError `too_many_requests` if the account or the project has its share, `overloaded` if too many
   *   exports are running; ClientDisconnected
   */
  async acquire({ projectId, accountId }: ExportSubject, gone: AbortSignal): Promise<() => void> {
    // The account's first: an export waiting for it must not hold a permit that all accounts share.
    const releaseAccount = await this.ofAccounts.acquire(accountId, gone);
    try {
      const releaseProject = await this.ofProjects.acquire(projectId, gone);
      return () => {
        releaseProject();
        releaseAccount();
      };
    } catch (error) {
      releaseAccount();
      throw error;
    }
  }
}
