import { Resolver } from 'node:dns/promises';
import { getDomain } from 'tldts';
import { type Caa, judgeCaa, type HostRecords, type Lookup } from '../domain/dns-verdict.js';

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
/**
 * Deadline of all queries of one check. Customers' name servers may be slow on purpose, and would
 * delay a request or other accounts' checks.
 */
const CHECK_DEADLINE_MS = 10_000;
/** The name or the type does not exist; every other code means that the resolver has no result. */
const MISSING = new Set(['ENOTFOUND', 'ENODATA']);

/** Reads the records of custom domains, from each resolver separately. */
export class DnsLookup {
  /** `servers` are `address` or `address:port`. */
  constructor(private readonly servers: readonly string[]) {}

  /** Runs the queries of one check. At its deadline open queries are canceled and further ones fail. */
  async check<T>(work: (queries: HostQueries) => Promise<T>): Promise<T> {
    const queries = new HostQueries(this.servers);
    const timer = setTimeout(() => queries.cancel(), CHECK_DEADLINE_MS);
    try {
      return await work(queries);
    } finally {
      clearTimeout(timer);
      queries.cancel();
    }
  }
}

/** The queries of one check. */
export class HostQueries {
  private readonly resolvers: Resolver[];
  private isCanceled = false;

  constructor(servers: readonly string[]) {
    this.resolvers = servers.map((server) => {
      const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
      resolver.setServers([server]);
      return resolver;
    });
  }

  cancel(): void {
    this.isCanceled = true;
    for (const resolver of this.resolvers) resolver.cancel();
  }

  /** The records of a host, per resolver. */
  readHost({ hostname, challenge }: { hostname: string; challenge: string }): Promise<HostRecords[]> {
    return Promise.all(
      this.resolvers.map(async (resolver) => {
        const [cname, txt] = await Promise.all([
          this.lookUp(() => resolver.resolveCname(hostname)),
          this.lookUp(async () => (await resolver.resolveTxt(challenge)).map((parts) => parts.join(''))),
        ]);
        const isMissing = cname.kind === 'none' && txt.kind === 'none';
        return { cname, txt, addresses: isMissing ? await this.readAddresses(resolver, hostname) : [] };
      }),
    );
  }

  /** CAs that may issue for the host, by the nearest CAA records up to its registrable domain. */
  async readCaa(hostname: string): Promise<Caa> {
    const [resolver] = this.resolvers;
    const last = getDomain(hostname, { allowPrivateDomains: true });
    if (!resolver) return { known: false, issuers: null };
    for (let name = hostname; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      const records = await this.lookUp(() => resolver.resolveCaa(name));
      if (records.kind === 'failed') return { known: false, issuers: null };
      if (records.kind === 'found') return judgeCaa(records.values);
      if (name === last) break;
    }
    return judgeCaa([]);
  }

  private async readAddresses(resolver: Resolver, hostname: string): Promise<string[]> {
    const found = await Promise.all([
      this.lookUp(() => resolver.resolve4(hostname)),
      this.lookUp(() => resolver.resolve6(hostname)),
    ]);
    return found.flatMap((lookup) => (lookup.kind === 'found' ? lookup.values : [])).toSorted();
  }

  private async lookUp<Value>(query: () => Promise<Value[]>): Promise<Lookup<Value>> {
    if (this.isCanceled) return { kind: 'failed' };
    try {
      const values = await query();
      return values.length > 0 ? { kind: 'found', values } : { kind: 'none' };
    } catch (error) {
      return MISSING.has((error as NodeJS.ErrnoException).code ?? '') ? { kind: 'none' } : { kind: 'failed' };
    }
  }
}
