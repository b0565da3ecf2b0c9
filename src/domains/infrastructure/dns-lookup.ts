import type { CaaRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { getDomain } from 'tldts';
import { caaIssuers, type HostRecords, type Lookup } from '../domain/dns-verdict.js';

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
/** The name or the type does not exist; every other code means that the resolver could not say. */
const MISSING = new Set(['ENOTFOUND', 'ENODATA']);

/** Reads the records of custom domains, from each resolver separately. */
export class DnsLookup {
  private readonly resolvers: Resolver[];

  /** `servers` are `address` or `address:port`. */
  constructor(servers: readonly string[]) {
    this.resolvers = servers.map((server) => {
      const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
      resolver.setServers([server]);
      return resolver;
    });
  }

  /** The records of a host, as each resolver returns them. */
  readHost({ hostname, challenge }: { hostname: string; challenge: string }): Promise<HostRecords[]> {
    return Promise.all(
      this.resolvers.map(async (resolver) => {
        const [cname, txt] = await Promise.all([
          lookUp(() => resolver.resolveCname(hostname)),
          lookUp(async () => (await resolver.resolveTxt(challenge)).map((parts) => parts.join(''))),
        ]);
        return { cname, txt };
      }),
    );
  }

  /** CAs that may issue for the host, by the nearest CAA records up to its registrable domain; null: any, or not known. */
  async readCaa(hostname: string): Promise<string[] | null> {
    const [resolver] = this.resolvers;
    if (!resolver) return null;
    const last = getDomain(hostname, { allowPrivateDomains: true });
    for (let name = hostname; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      const records = await caaOf(resolver, name);
      if (records === null || records.length > 0) return records && caaIssuers(records);
      if (name === last) break;
    }
    return null;
  }
}

async function lookUp(ask: () => Promise<string[]>): Promise<Lookup> {
  try {
    const values = await ask();
    return values.length > 0 ? { kind: 'found', values } : { kind: 'none' };
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'failed' };
  }
}

/** null: the resolver could not say. */
async function caaOf(resolver: Resolver, name: string): Promise<CaaRecord[] | null> {
  try {
    return await resolver.resolveCaa(name);
  } catch (error) {
    return isMissing(error) ? [] : null;
  }
}

const isMissing = (error: unknown): boolean => MISSING.has((error as NodeJS.ErrnoException).code ?? '');
