import { Injectable } from '@nestjs/common';
import { FairSemaphore } from './fair-semaphore.js';

/** Exports at once in one process: one that is read slowly costs the memory of some batches, and no connection. */
export const EXPORTS_MAX = 12;
/** Exports at once of the projects of one account, API keys included: at least four accounts share a process. */
export const EXPORTS_PER_ACCOUNT_MAX = 3;
/** Exports at once of one project. */
const EXPORTS_PER_PROJECT_MAX = 1;
const WAITING = { waitMs: 5_000, retryAfterSeconds: 10 };

/** What an export counts against. */
export interface ExportSubject {
  projectId: string;
  /** The account that owns the project: `AccessService.accountOf`. */
  accountId: string;
}

/** Shares out the exports that one process runs at once: of records, of visitors' records, of the audit, of proofs as PDF. */
@Injectable()
export class ExportPermits {
  private readonly ofAccounts = new FairSemaphore({
    ...WAITING,
    places: Infinity,
    placesPerKey: EXPORTS_PER_ACCOUNT_MAX,
    noun: 'account',
    waitingPerKeyMax: EXPORTS_PER_ACCOUNT_MAX,
  });
  private readonly ofProjects = new FairSemaphore({
    ...WAITING,
    places: EXPORTS_MAX,
    placesPerKey: EXPORTS_PER_PROJECT_MAX,
    noun: 'project',
    waitingPerKeyMax: 1,
  });

  /**
   * A permit for an export, until the returned function is called.
   * @throws DomainError `too_many_requests` where the account or the project has its share, `overloaded` where too many
   *   of all are under way; ClientDisconnected
   */
  async take({ projectId, accountId }: ExportSubject, gone: AbortSignal): Promise<() => void> {
    // The account's first: an export that waits for it must not hold one of the permits of all.
    const leaveAccount = await this.ofAccounts.take(accountId, gone);
    try {
      const leaveProject = await this.ofProjects.take(projectId, gone);
      return () => {
        leaveProject();
        leaveAccount();
      };
    } catch (error) {
      leaveAccount();
      throw error;
    }
  }
}
