import { DomainChecks } from '../../../src/modules/domains/application/domain-checks.js';
import { HostList } from '../../../src/modules/domains/application/host-list.js';
import type { DnsRecord } from '../fakes/dns-server.js';
import { type DnsServer, startDnsServer } from '../fakes/dns-server.js';
import type { TestProject } from './project.js';
import { startTestService, type TestService } from '../programs/service.js';

export const TARGET = 'edge.service.test';

/** A custom domain as the API returns it, as far as tests read it. */
interface ShownDomain {
  id: string;
  hostname: string;
  state: string;
  stateSince: string;
  stateEndsAt: string | null;
  records: Record<'cname' | 'txt', { type: string; name: string; value: string }>;
  method: string | null;
  problem: string | null;
  found: string | null;
  goodAt: string | null;
  nextCheckAt: string;
  certificate: {
    allowed: boolean;
    askedAt: string | null;
    caaKnown: boolean;
    caaIssuers: string[] | null;
    caaForbids: boolean;
  };
}

/** A service with custom domains and two name servers whose records tests change. */
export interface DomainWorld {
  service: TestService;
  /** What both name servers return; `secondRecords` overrides it at the second one. */
  records: Record<string, DnsRecord | null>;
  secondRecords: Record<string, DnsRecord | null>;
  /** The first name server. */
  server: DnsServer;
  /** Adds a hostname, and returns it as the API does. */
  add(project: TestProject, hostname: string): Promise<ShownDomain>;
  read(project: TestProject, id: string): Promise<ShownDomain>;
  /** Runs the worker's checks that are due at this time. Requests see the result at once. */
  checkDue(now?: Date): Promise<number>;
  close(): Promise<void>;
}

export async function startDomainWorld(environment: NodeJS.ProcessEnv = {}): Promise<DomainWorld> {
  const records: Record<string, DnsRecord | null> = {};
  const secondRecords: Record<string, DnsRecord | null> = {};
  const all = new Proxy(secondRecords, {
    has: (own, name) => name in own || name in records,
    get: (own, name: string) => (name in own ? own[name] : records[name]),
  });
  const server = await startDnsServer(records);
  const servers: DnsServer[] = [server, await startDnsServer(all)];
  const service = await startTestService({
    CUSTOM_DOMAIN_TARGET: TARGET,
    CUSTOM_DOMAIN_RESOLVERS: servers.map(({ address }) => address).join(','),
    CUSTOM_DOMAIN_ATTEMPTS_PER_DAY: '1000',
    PUBLIC_BASE_URL: 'http://consent.service.test',
    ...environment,
  });
  const read = async (project: TestProject, id: string): Promise<ShownDomain> =>
    (await (await project.request('viewer', 'GET', `/domains/${id}`)).json()) as ShownDomain;
  return {
    service,
    records,
    secondRecords,
    server,
    read,
    add: async (project, hostname) => {
      const response = await project.request('editor', 'POST', '/domains', { hostname });
      if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
      return (await response.json()) as ShownDomain;
    },
    checkDue: async (now = new Date()) => {
      const count = await service.app.get(DomainChecks, { strict: false }).checkDue(now);
      await service.app.get(HostList, { strict: false }).refresh();
      return count;
    },
    close: async () => {
      await service.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
