import robotsParser from 'robots-parser';

/** Longest `Crawl-delay` that is obeyed; longer ones are cut to it. */
const CRAWL_DELAY_MAX_MS = 10_000;
/** The part of a robots.txt that is read; the rest is ignored (RFC 9309 §2.5 requires at least 500 KiB). */
export const ROBOTS_BYTES_MAX = 500 * 1024;
/** Sitemaps that a robots.txt may name. */
const SITEMAPS_NAMED_MAX = 20;
/** Time for judging the addresses of one host: patterns with many `*` are slow, and they are the site's. */
const JUDGING_MS_MAX = 2_000;

type RobotsRefusal = 'robots_denied' | 'robots_unavailable';

/** The rules of an origin's robots.txt for this scanner. */
export interface Robots {
  /** Why an address of the origin is not visited; null: it may be. */
  refusalOf(url: string): RobotsRefusal | null;
  /** Least time between two pages. */
  delayMs: number;
  /** As listed, unchecked. */
  sitemaps: readonly string[];
}

/** There is no robots.txt: everything may be visited. */
export const NO_ROBOTS: Robots = { refusalOf: () => null, delayMs: 0, sitemaps: [] };
/** Rules of an unavailable robots.txt: nothing may be visited. */
export const UNAVAILABLE_ROBOTS: Robots = {
  refusalOf: () => 'robots_unavailable',
  delayMs: 0,
  sitemaps: [],
};

/** How the request for a robots.txt ended. `unreachable`: no connection, so a visit has the exact reason. */
export type RobotsResponse =
  | { kind: 'response'; status: number; text: string }
  | { kind: 'too_many_redirects' }
  | { kind: 'unreachable' }
  | { kind: 'failed' };

/**
 * RFC 9309 §2.3.1: without a file (4xx) everything may be visited, with a server that fails (5xx, 429, no response in
 * time) nothing.
 */
export function readRobots(url: string, response: RobotsResponse, agent: string): Robots {
  if (response.kind === 'failed') return UNAVAILABLE_ROBOTS;
  if (response.kind !== 'response') return NO_ROBOTS;
  const { status, text } = response;
  if (status === 429 || status >= 500) return UNAVAILABLE_ROBOTS;
  return status >= 200 && status < 300 ? parseRobots(url, text, agent) : NO_ROBOTS;
}

function parseRobots(url: string, text: string, agent: string): Robots {
  // The types of the package describe another kind of module than it is.
  const parse = robotsParser as unknown as typeof robotsParser.default;
  const rules = parse(url, onlyGroupsFor(agent, text));
  const delayMs = (rules.getCrawlDelay(agent) ?? 0) * 1000;
  let leftMs = JUDGING_MS_MAX;
  const judged = new Map<string, RobotsRefusal | null>();
  const judge = (page: string): RobotsRefusal | null => {
    if (leftMs <= 0) return 'robots_unavailable';
    const startedMs = performance.now();
    const refusal = rules.isAllowed(page, agent) === false ? 'robots_denied' : null;
    leftMs -= performance.now() - startedMs;
    return refusal;
  };
  return {
    refusalOf: (page) => {
      const known = judged.get(page);
      if (known !== undefined) return known;
      const refusal = judge(page);
      judged.set(page, refusal);
      return refusal;
    },
    delayMs: Math.min(Math.max(delayMs, 0), CRAWL_DELAY_MAX_MS),
    sitemaps: rules.getSitemaps().slice(0, SITEMAPS_NAMED_MAX),
  };
}

/**
 * The text with one name for all other agents, and each group with it once: the parser copies every rule to every agent
 * of its group.
 */
function onlyGroupsFor(agent: string, text: string): string {
  const own = agent.toLowerCase();
  const lines: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name] = /^\s*user-agent\s*:\s*([^#]*)/i.exec(line) ?? [];
    const known = name?.trim().toLowerCase().split('/')[0]?.trim();
    const kept =
      known === undefined ? line : `User-agent: ${known === own || known === '*' ? known : 'other'}`;
    if (known === undefined || lines.at(-1) !== kept) lines.push(kept);
  }
  return lines.join('\n');
}
