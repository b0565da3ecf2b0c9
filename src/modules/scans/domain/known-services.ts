/** A cookie that is known by its name; each row of the Open Cookie Database. */
export interface KnownCookie {
  name: string;
  /** Whether any name that begins with `name` is meant. */
  isPrefix: boolean;
  /** Domains that set it; empty: any site may have it. */
  domains: string[];
  category: 'Necessary' | 'Security' | 'Functional' | 'Personalization' | 'Analytics' | 'Marketing';
  platform: string;
  controller: string;
  purpose: string;
  duration: string;
  policyUrl: string;
}

/** A company's service that is known by its hosts; each entity of third-party-web. */
export interface KnownEntity {
  name: string;
  company: string;
  category: string;
  /** `*.example.com` also includes hosts below example.com. */
  domains: string[];
}

/** A shorter prefix of a name matches too much without a matching domain. */
const BARE_PREFIX_CHARACTERS_MIN = 3;

/** Cookies and services that are known, by name and by host. */
export class KnownServices {
  private readonly byName: Map<string, KnownCookie[]>;
  /** Longest first. */
  private readonly prefixes: readonly KnownCookie[];
  private readonly byHost = new Map<string, KnownEntity>();
  private readonly byParent = new Map<string, KnownEntity>();

  constructor(cookies: readonly KnownCookie[], entities: readonly KnownEntity[]) {
    this.byName = Map.groupBy(cookies, ({ name }) => name);
    this.prefixes = cookies
      .filter(({ isPrefix }) => isPrefix)
      .toSorted((a, b) => b.name.length - a.name.length);
    for (const entity of entities)
      for (const domain of entity.domains) {
        if (domain.startsWith('*.')) this.byParent.set(domain.slice(2), entity);
        else this.byHost.set(domain, entity);
      }
  }

  /** Rows for a name: those with the whole name first, then the longest beginning. */
  cookiesNamed(name: string): KnownCookie[] {
    const whole = this.byName.get(name) ?? [];
    const begun = this.prefixes.filter((row) => row.name !== name && name.startsWith(row.name));
    return [...whole, ...begun];
  }

  /** The entity of a host: of the host itself, else of the nearest domain above it. */
  entityOf(host: string): KnownEntity | null {
    const bare = bareHost(host);
    const whole = this.byHost.get(bare);
    if (whole) return whole;
    const labels = bare.split('.');
    for (let from = 0; from < labels.length - 1; from++) {
      const entity = this.byParent.get(labels.slice(from).join('.'));
      if (entity) return entity;
    }
    return null;
  }
}

/** Whether a row's domain names the host or a domain above it. */
export function isOfDomain({ domains }: KnownCookie, host: string): boolean {
  const bare = bareHost(host);
  return domains.some((domain) => bare === domain || bare.endsWith(`.${domain}`));
}

/** Whether a row may be used for a host that does not confirm it. */
export function isGuess({ domains, isPrefix, name }: KnownCookie): boolean {
  return domains.length === 0 && (!isPrefix || name.length >= BARE_PREFIX_CHARACTERS_MIN);
}

/** Without the dot before a cookie's domain, and without a port. */
export function bareHost(host: string): string {
  return host.toLowerCase().replace(/^\./, '').replace(/:\d+$/, '');
}
