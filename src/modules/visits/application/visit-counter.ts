import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter, Gauge } from 'prom-client';
import { isRefusedRow } from '../../../platform/database/postgres-error.js';
import { allowMaintenanceTime } from '../../../platform/database/tables.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { Metrics } from '../../../platform/operations/metrics.js';
import { ThrottledLog } from '../../../platform/operations/throttled-log.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { serviceSettings, type ServiceSettings } from '../../../platform/settings/service.settings.js';
import { unknownProject } from '../../projects/domain/project.js';
import { findProject } from '../../projects/project.rows.js';
import { type VisitRow, VisitTally } from '../domain/visit-tally.js';
import { deviceOf, languageOf, readVisit, visitedHost, type BrowserHeaders } from '../domain/visit.js';
import { addVisits, deleteVisitsBefore } from '../infrastructure/visit-rows.js';

/** Outcomes of page visits. */
@Injectable()
export class VisitMetrics {
  private readonly requests: Counter<'result'>;
  private readonly lost: Counter<'reason'>;

  constructor(private readonly metrics: Metrics) {
    const registers = [metrics.registry];
    this.requests = new Counter({
      name: 'site_visit_requests_total',
      help: 'Page visits by outcome: counted, or the error code.',
      labelNames: ['result'],
      registers,
    });
    this.lost = new Counter({
      name: 'site_visits_dropped_total',
      help: 'Page visits left out of some or all counts, by reason: no_room (in the process), or refused by the database.',
      labelNames: ['reason'],
      registers,
    });
  }

  count(result: string): void {
    this.requests.inc({ result });
  }

  dropped(reason: 'no_room' | 'refused', visits: number): void {
    if (visits > 0) this.lost.inc({ reason }, visits);
  }

  held(entries: () => number): void {
    new Gauge({
      name: 'site_visit_counts_held',
      help: 'Counts held by the process until they are written, or until their hour ends.',
      registers: [this.metrics.registry],
      collect() {
        this.set(entries());
      },
    });
  }
}

/** A killed process loses at most these counts, and the dashboard lags by at most this time. */
const FLUSH_EVERY_MS = 5_000;
/** One statement takes some milliseconds. */
const ROWS_PER_STATEMENT = 1_000;

/** How long a project's domains are cached. */
const PROJECT_MS = 30_000;
/** With their domains at most some 10 MB. */
const PROJECTS_MAX = 10_000;

/** A received page view. */
export interface VisitRequest extends BrowserHeaders {
  projectId: string;
  body: unknown;
  origin: string | undefined;
}

/**
 * Counts page views in the process and adds them to the database periodically (ADR 39). No request
 * waits for the write. A killed process loses what it has not written, which is acceptable for
 * counts.
 */
@Injectable()
export class VisitCounter implements OnModuleInit, BeforeApplicationShutdown {
  private readonly tally = new VisitTally();
  private readonly failures = new ThrottledLog(
    new Logger(VisitCounter.name),
    'could not write page visits; they are kept and written later',
  );
  private readonly refusals = new ThrottledLog(
    new Logger(VisitCounter.name),
    'the database rejected a page visit count; dropping it',
  );
  private readonly domains: LRUCache<string, string[] | 'unknown'>;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly em: EntityManager,
    private readonly metrics: VisitMetrics,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {
    // Concurrent requests for the same project share one query.
    this.domains = new LRUCache({
      max: PROJECTS_MAX,
      ttl: PROJECT_MS,
      fetchMethod: async (projectId) =>
        (await findProject(this.em.fork(), projectId))?.domains ?? ('unknown' as const),
    });
    metrics.held(() => this.tally.size);
  }

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /**
   * Counts one page view; resolves at once, or after reading the project.
   * @throws DomainError validation_failed, project_not_found, origin_not_allowed
   */
  async count({ projectId, body, origin, ...browser }: VisitRequest, now: Date): Promise<void> {
    const visit = readVisit(body);
    if (!visit)
      throw fieldErrors([
        { field: 'banner', message: 'Send an object; banner must be none, chosen, or ignored if present.' },
      ]);
    const domains = this.domains.get(projectId) ?? (await this.domains.fetch(projectId));
    if (domains === undefined || domains === 'unknown') throw unknownProject();
    const hostname = visitedHost(origin, { domains, production: this.service.production });
    if (hostname === null)
      throw new DomainError('origin_not_allowed', 'Origin is not one of the project’s domains.');
    const described = {
      hostname,
      language: languageOf(browser.acceptLanguage),
      device: deviceOf(browser.userAgent),
    };
    if (!this.tally.count(projectId, { ...visit, ...described }, now)) this.metrics.dropped('no_room', 1);
  }

  /** Writes the counts. One write at a time; never rejects. */
  flush(): Promise<void> {
    return (this.flushing = this.flushing.then(() => this.write(this.tally.take(new Date()))));
  }

  private async write(rows: VisitRow[]): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const batch = rows.slice(at, at + ROWS_PER_STATEMENT);
      const failed = await this.writeBatch(batch);
      if (failed.length === 0) continue;
      const unwritten = [...failed, ...rows.slice(at + ROWS_PER_STATEMENT)];
      this.metrics.dropped('no_room', this.tally.giveBack(unwritten));
      return;
    }
  }

  /**
   * Writes rows in one statement. If the database refuses one of them, writes each half separately,
   * so that only the refused row is dropped. Returns the rows that could not be written for another
   * reason.
   */
  private async writeBatch(rows: VisitRow[]): Promise<VisitRow[]> {
    try {
      await addVisits(this.em.fork(), rows);
      return [];
    } catch (error) {
      if (!isRefusedRow(error)) {
        this.failures.warn(error);
        return rows;
      }
      if (rows.length > 1) {
        const middle = Math.ceil(rows.length / 2);
        const first = await this.writeBatch(rows.slice(0, middle));
        return [...first, ...(await this.writeBatch(rows.slice(middle)))];
      }
      this.refusals.warn(error);
      for (const { visits } of rows) this.metrics.dropped('refused', visits);
      return [];
    }
  }
}

const EVERY_MS = 60 * 60_000;
/** Two years, to compare them, and a month. */
const VISIT_MONTHS_KEPT = 25;
const BATCH_ROWS = 10_000;

/** Deletes counts of page visits that are too old for analytics. */
@Injectable()
export class VisitRetention implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({ name: 'site-visits', everyMs: EVERY_MS, run: (now) => this.forget(now) });
  }

  /** Returns the number of deleted rows. */
  async forget(now: Date): Promise<number> {
    let gone = 0;
    for (;;) {
      const deleted = await this.em.fork().transactional(async (tx) => {
        await allowMaintenanceTime(tx);
        return deleteVisitsBefore(tx, { now, months: VISIT_MONTHS_KEPT, limit: BATCH_ROWS });
      });
      gone += deleted;
      if (deleted < BATCH_ROWS) return gone;
    }
  }
}
