import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { ThrottledLog } from '../operations/throttled-log.js';
import { FairSemaphore, type SemaphoreLimits } from '../limits/fair-semaphore.js';
import { isStatementGivenUp } from './postgres-error.js';
import { openPool, type PoolPurpose } from './postgres-pool.js';
import { InjectSettings } from '../settings/inject-settings.js';
import { compileSql } from './compile-sql.js';
import { type DatabaseSettings, databaseSettings } from './database.settings.js';

/** A page of a list reads a bounded number of rows in some milliseconds. The limit is for a busy server. */
const LIST_STATEMENT_MS = 5_000;
const LIST_CONNECTIONS = 4;
const LIST_LIMITS: SemaphoreLimits = {
  permits: LIST_CONNECTIONS,
  permitsPerKey: 2,
  noun: 'account',
  waitingPerKeyMax: 20,
  waitMs: 5_000,
  retryAfterSeconds: 2,
};

/** Two years of a busy project by day are counted in about a second. */
const REPORT_STATEMENT_MS = 15_000;
const REPORT_CONNECTIONS = 3;
const REPORT_LIMITS: SemaphoreLimits = {
  permits: REPORT_CONNECTIONS,
  permitsPerKey: 1,
  noun: 'account',
  waitingPerKeyMax: 15,
  waitMs: 10_000,
  retryAfterSeconds: 5,
};

/** A project that changes its owner uses the share of the former account for at most this long. */
const ACCOUNT_MS = 60_000;
const ACCOUNTS_MAX = 10_000;

/** A separate connection, because the canceled statements may occupy all others. */
const CANCEL_STATEMENT_MS = 2_000;

/**
 * Long reads of a project: on separate connections, a bounded number at once per account, and canceled when the client
 * disconnects. So an account with many records, projects or readers only slows down itself.
 */
@Injectable()
export class ProjectReads implements OnApplicationShutdown {
  private readonly dropped = new ThrottledLog(
    new Logger(ProjectReads.name),
    'lost a connection for dashboard reads; reconnecting',
  );
  private readonly lists: Lane;
  private readonly reports: Lane;
  private readonly control: Pool;
  private readonly accounts = new LRUCache<string, string>({ max: ACCOUNTS_MAX, ttl: ACCOUNT_MS });
  private findAccount: (projectId: string) => Promise<string> = (projectId) => Promise.resolve(projectId);

  constructor(@InjectSettings(databaseSettings) database: DatabaseSettings) {
    const open = (purpose: Omit<PoolPurpose, 'onDropped'>): Pool =>
      openPool(database, { ...purpose, onDropped: (error) => this.dropped.warn(error) });
    this.control = open({ name: 'cancel', connections: 1, statementMs: CANCEL_STATEMENT_MS });
    this.lists = new Lane(
      open({
        name: 'lists',
        connections: LIST_CONNECTIONS,
        statementMs: LIST_STATEMENT_MS,
        // A page is a range of the primary key, regardless of the planner's statistics.
        serverSettings: { enable_sort: 'off', enable_bitmapscan: 'off', enable_seqscan: 'off' },
      }),
      this.control,
      LIST_LIMITS,
    );
    this.reports = new Lane(
      open({ name: 'reports', connections: REPORT_CONNECTIONS, statementMs: REPORT_STATEMENT_MS }),
      this.control,
      REPORT_LIMITS,
    );
  }

  /** Sets the lookup of a project's account, whose share its reads use. Until then, each project has its own share. */
  shareBy(findAccount: (projectId: string) => Promise<string>): void {
    this.findAccount = findAccount;
  }

  /**
   * The rows of a page, ordered by a primary key.
   *
   * @throws DomainError `too_many_requests` (429), `overloaded` (503); ClientDisconnected, after
   * the client has disconnected.
   */
  async list<Row>(projectId: string, query: RawBuilder<Row>, gone: AbortSignal): Promise<Row[]> {
    return this.lists.run(await this.accountOf(projectId), query, gone);
  }

  /** The rows of a count over many records; throws like `list`. */
  async report<Row>(projectId: string, query: RawBuilder<Row>, gone: AbortSignal): Promise<Row[]> {
    return this.reports.run(await this.accountOf(projectId), query, gone);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.lists.close(), this.reports.close(), this.control.end()]);
  }

  private async accountOf(projectId: string): Promise<string> {
    const known = this.accounts.get(projectId);
    if (known !== undefined) return known;
    const account = await this.findAccount(projectId);
    this.accounts.set(projectId, account);
    return account;
  }
}

/** Connections for one kind of statement, shared fairly by the accounts. */
class Lane {
  private readonly semaphore: FairSemaphore;

  constructor(
    private readonly pool: Pool,
    private readonly control: Pool,
    limits: SemaphoreLimits,
  ) {
    this.semaphore = new FairSemaphore(limits);
  }

  async run<Row>(account: string, query: RawBuilder<Row>, gone: AbortSignal): Promise<Row[]> {
    const release = await this.semaphore.acquire(account, gone);
    try {
      return await this.query<Row>(query, gone);
    } finally {
      release();
    }
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private async query<Row>(query: RawBuilder<Row>, gone: AbortSignal): Promise<Row[]> {
    const statement = compileSql(query);
    const client = await this.pool.connect();
    // The server process of this connection; set at run time, but missing in the types.
    const { processID: processId } = client as typeof client & { processID: number };
    let cancelling: Promise<unknown> = Promise.resolve();
    let failed = false;
    const cancel = (): void => {
      cancelling = this.control.query('select pg_cancel_backend($1)', [processId]).catch(() => {
        failed = true;
      });
    };
    try {
      gone.throwIfAborted();
      gone.addEventListener('abort', cancel);
      return (await client.query(statement)).rows as Row[];
    } catch (error) {
      if (gone.aborted && isStatementGivenUp(error)) throw gone.reason;
      failed ||= !isStatementGivenUp(error);
      throw error;
    } finally {
      gone.removeEventListener('abort', cancel);
      // Otherwise the cancellation could hit the next statement on this connection.
      await cancelling;
      client.release(failed);
    }
  }
}
