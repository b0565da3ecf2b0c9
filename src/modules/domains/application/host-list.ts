import { isIPv4 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { serviceSettings, type ServiceSettings } from '../../../platform/settings/service.settings.js';
import { isLiteralHost } from '../domain/host-rules.js';
import { domainSettings, type DomainSettings } from '../domains.settings.js';
import { type HeldHost, readHeldHosts, readHeldVersion } from '../infrastructure/domain.rows.js';

/** Paths that probes and Prometheus request by the address or the container name of a process. */
const PROBE_PATH = /^\/(?:metrics$|health\/)/;

/** The service's own host names. */
@Injectable()
export class OwnHosts {
  readonly names: readonly string[];

  constructor(
    @InjectSettings(domainSettings) { ownHosts }: DomainSettings,
    @InjectSettings(serviceSettings) { publicBaseUrl }: ServiceSettings,
  ) {
    this.names = [...ownHosts, ...(publicBaseUrl === '' ? [] : [new URL(publicBaseUrl).hostname])];
  }

  /** Whether the service serves this path under the name as its own. */
  serve(hostname: string, path: string): boolean {
    return (
      this.names.includes(hostname) ||
      isLoopback(hostname) ||
      (isLiteralHost(hostname) && PROBE_PATH.test(path))
    );
  }
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}

/** A change reaches every process within about this time. */
const REFRESH_MS = 2_000;

/**
 * The hostnames that belong to projects, in memory: requests and `ask` never wait for the database,
 * and are served while it is unavailable. Each takes about 500 bytes.
 */
@Injectable()
export class HostList implements OnModuleDestroy {
  private readonly logger = new Logger(HostList.name);
  private hosts = new Map<string, HeldHost>();
  private version: string | null = null;
  private readonly stopping = new AbortController();
  private isStale = false;

  constructor(
    private readonly em: EntityManager,
    @InjectSettings(domainSettings) private readonly settings: DomainSettings,
  ) {}

  /** Whether the list was read at least once. */
  get isLoaded(): boolean {
    return this.version !== null;
  }

  /** Reads the list and polls for changes. Does nothing without custom domains. */
  async start(): Promise<void> {
    if (this.settings.target === '') return;
    await this.refresh();
    void this.follow();
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** `hostname` in lower case. */
  find(hostname: string): HeldHost | undefined {
    return this.hosts.get(hostname);
  }

  /** Never rejects: while the database is unavailable, the list is unchanged. */
  async refresh(): Promise<void> {
    try {
      const em = this.em.fork();
      const version = await readHeldVersion(em);
      if (version !== this.version) {
        const hosts = await readHeldHosts(em);
        this.hosts = new Map(hosts.map((host) => [host.hostname, host]));
        this.version = version;
      }
      this.isStale = false;
    } catch (error) {
      if (!this.isStale)
        this.logger.warn({ err: error }, 'custom domains could not be read; the last list stays');
      this.isStale = true;
    }
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(REFRESH_MS, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted) await this.refresh();
    }
  }
}
