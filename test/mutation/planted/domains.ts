import type { Planted } from '../planted.js';

const DOMAINS = 'test/domains/custom-domains';
const ROUTING = 'test/domains/host-routing';
const ASK = 'test/domains/ask';
const PROXY = 'test/first-party/proxy';

/** Defects of `src/modules/domains`. */
export const DOMAIN_DEFECTS: Planted[] = [
  {
    name: 'domains: a claim takes a host whose holder could not be looked up',
    mutations: [
      {
        symbol: 'DomainChecks.resolveClaim',
        from: /held\?\.verdict\.kind !== 'bad'/,
        to: "held?.verdict.kind === 'good'",
      },
    ],
    tests: [DOMAINS],
    only: 'does not deny',
  },
  {
    name: 'domains: the list of hosts keeps the domains that a project had',
    mutations: [{ symbol: 'readHeldVersion', from: /, p\.domains::text/, to: '' }],
    tests: [ROUTING],
    only: 'follow the domains',
  },
  {
    name: 'domains: a new day does not start at no attempt',
    mutations: [
      {
        symbol: 'takeAttempt',
        from: /case when a\.day = excluded\.day then a\.attempts \+ 1 else 1 end/,
        to: 'a.attempts + 1',
      },
    ],
    tests: [DOMAINS],
    only: 'attempts a day',
  },
  {
    name: 'domains: Retry-After is the time since midnight',
    mutations: [
      {
        symbol: 'CustomDomainService.takeAttempt',
        from: /DAY_MS - \(now\.getTime\(\) % DAY_MS\)/,
        to: 'now.getTime() % DAY_MS',
      },
    ],
    tests: [DOMAINS],
    only: 'attempts a day',
  },
  {
    name: 'domains: a failed check forgets the method',
    mutations: [
      {
        symbol: 'DomainChecks.settle',
        from: /verdict\.method : before\.method/,
        to: 'verdict.method : null',
      },
    ],
    tests: [DOMAINS],
    only: 'recovers, and is suspended',
  },
  {
    name: 'domains: a list is not in the order of names',
    mutations: [{ symbol: 'readDomains', from: /hostname: 'asc'/, to: "createdAt: 'asc'" }],
    tests: [DOMAINS],
    only: 'the sixth',
  },
  {
    name: 'domains: one of two owners is mailed',
    mutations: [
      {
        symbol: 'DomainMails.send',
        from: /await this\.access\.ownersOf\(tx, projectId\)/,
        to: '(await this.access.ownersOf(tx, projectId)).slice(0, 1)',
      },
    ],
    tests: [DOMAINS],
    only: 'each owner',
  },
  {
    name: 'domains: a change of one project makes the checks of all due',
    mutations: [
      { symbol: 'checkSoon', from: /where project_id = \$\{projectId\}/, to: "where ${projectId} <> ''" },
    ],
    tests: [DOMAINS],
    only: 'change of owners',
  },
  {
    name: 'domains: a check that was not finished waits for ten hours',
    mutations: [{ symbol: 'claimDue', from: /interval '1 second'/, to: "interval '1 minute'" }],
    tests: [DOMAINS],
    only: 'did not finish',
  },
  {
    name: 'domains: CAA records of the host itself do not apply',
    mutations: [
      {
        symbol: 'HostQueries.readCaa',
        from: /records\.kind === 'found'/,
        to: "records.kind === 'found' && name === last",
      },
    ],
    tests: [DOMAINS],
    only: 'CAs that may issue',
  },
  {
    name: 'domains: a request makes a failing host active',
    mutations: [
      {
        symbol: 'writeSeen',
        from: /case when before\.state = 'verified' then 'active' else d\.state end/,
        to: "'active'",
      },
    ],
    tests: [ROUTING],
    only: 'keeps failing',
  },
  {
    name: 'domains: a request starts the seven days of a failing host again',
    mutations: [
      {
        symbol: 'writeSeen',
        from: /case when before\.state = 'verified' then \$\{at\} else d\.state_since end/,
        to: '${at}',
      },
    ],
    tests: [ROUTING],
    only: 'keeps failing',
  },
  {
    name: 'domains: suspended hosts count for the age of checks',
    mutations: [
      {
        symbol: 'countDomains',
        from: /state === 'verified' \|\| state === 'active'/,
        to: "state !== 'pending'",
      },
    ],
    tests: [ASK],
    only: 'the age of the oldest',
  },
  {
    name: 'domains: answers to the edge are measured in milliseconds',
    mutations: [{ symbol: 'AskMetrics.asked', from: /ms \/ 1000/, to: 'ms' }],
    tests: [ASK],
    only: 'is measured',
  },
  {
    name: 'domains: answers to the edge are all measured as allowed',
    mutations: [{ symbol: 'AskServer.answer', from: /asked\(status,/, to: 'asked(200,' }],
    tests: [ASK],
    only: 'is measured',
  },
  {
    name: 'proxy: a former secret that has expired is shown',
    mutations: [{ symbol: 'ProxySecretService.read', from: /isPast \? null : /, to: '' }],
    tests: [PROXY],
    only: 'in its project alone',
  },
  {
    name: 'proxy: a first secret has a former one',
    mutations: [
      {
        symbol: 'ProxySecretService.create',
        from: /former && formerValidUntil/,
        to: 'formerValidUntil',
      },
    ],
    tests: [PROXY],
    only: 'with removal',
  },
  ...['remove', 'forgetFormer'].map((method) => ({
    name: `proxy: ${method} is audited where there is no secret`,
    mutations: [
      {
        symbol: `ProxySecretService.${method}`,
        from: /if \(!proxy\?\.\w+\) return;/,
        to: 'if (!proxy) return;',
      },
    ],
    tests: [PROXY],
    only: 'in its project alone',
  })),
];
