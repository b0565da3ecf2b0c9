import type { Planted } from '../planted.js';

const MAIL = 'test/mail/mail.e2e';

/** Defects of `src/modules/access`, `src/modules/audit`, and `src/platform/mail`. */
export const ACCESS: Planted[] = [
  {
    name: 'access: a later sign-in does not keep a network known',
    mutations: [
      {
        symbol: 'KnownNetworks.remember',
        from: /do update set seen_at = now\(\)/,
        to: 'do nothing',
      },
    ],
    tests: ['test/access/access.lockout'],
    only: 'leaves her a network',
  },
  {
    name: 'access: forgets the newest networks',
    mutations: [{ symbol: 'KnownNetworks.remember', from: /order by seen_at desc/, to: 'order by seen_at' }],
    tests: ['test/access/access.lockout'],
    only: 'remembers the last',
  },
  ...[
    { name: 'does not count invitations to a mailbox', to: '' },
    {
      name: 'counts invitations to a mailbox for each project',
      to: 'await this.invitationsByEmail.consume(`${projectId} ${mailbox}`);',
    },
  ].map(({ name, to }) => ({
    name: `access: ${name}`,
    mutations: [
      {
        symbol: 'AccountLimits.invite',
        from: /await this\.invitationsByEmail\.consume\(mailbox\);/,
        to,
      },
    ],
    tests: ['test/access/invitations'],
    only: 'for its mailbox',
  })),
  ...[
    {
      name: 'an hour',
      from: /await this\.mailsByPersonAndHour\.consume\(sender\);/,
      only: 'bounded per hour',
    },
    { name: 'a day', from: /await this\.mailsByPersonAndDay\.consume\(sender\);/, only: 'bounded per day' },
  ].map(({ name, from, only }) => ({
    name: `access: does not count the mails of a person in ${name}`,
    mutations: [{ symbol: 'AccountLimits.consumeForPerson', from, to: '' }],
    tests: ['test/access/mail-budgets'],
    only,
  })),
  {
    name: 'access: counts the mails of an API key for the project rather than its member',
    mutations: [{ symbol: 'findMailSender', from: /secret\?\.madeBy \?\? projectId/, to: 'projectId' }],
    tests: ['test/access/mail-budgets'],
    only: 'bounded per hour over all projects',
  },
  {
    name: 'access: a change of address leaves the links of the others',
    mutations: [
      {
        symbol: 'ChangeEmail.change',
        from: /await dropLinks\(tx, \{ userId, email: link\.email \}\);/,
        to: '',
      },
    ],
    tests: ['test/access/own-account'],
    only: 'every other change',
  },
  ...['before', 'after'].map((side) => ({
    name: `audit: a long state ${side} a change is stored whole`,
    mutations: [
      {
        symbol: 'writeAudit',
        from: new RegExp(`boundedState\\(change\\.${side}\\)`),
        to: `change.${side} ?? null`,
      },
    ],
    tests: ['test/audit/audit.e2e'],
    only: 'up to its bound',
  })),
  {
    name: 'mail: shows its password to a server without STARTTLS',
    mutations: [
      { symbol: 'smtpMailer', from: /requireTLS: encryption === 'required'/, to: 'requireTLS: false' },
    ],
    tests: [MAIL],
    only: 'another machine',
  },
  {
    name: 'mail: takes encryption as an offer where it has a password',
    mutations: [
      { symbol: 'parseSmtpServer', from: /credentials \? 'required' : 'offered'/, to: "'offered'" },
    ],
    tests: [MAIL],
    only: 'another machine',
  },
  {
    name: 'access: asks owners alone for a second factor',
    mutations: [
      {
        symbol: 'AccessGuard.enterProject',
        from: /membership\.needsSecondFactor && /,
        to: "membership.needsSecondFactor && membership.role === 'owner' && ",
      },
    ],
    tests: ['test/access/second-factor'],
    only: 'is closed to one who is',
  },
  {
    name: 'standalone: writes secrets that everybody can read',
    mutations: [{ symbol: 'readOrMake', from: /mode: 0o600/, to: 'mode: 0o644' }],
    tests: ['test/standalone/secrets'],
  },
  {
    name: 'production: starts with simulated subscriptions',
    mutations: [{ symbol: 'prepareDatabase', from: /await refuseDevelopmentData\(orm\)/, to: 'void 0' }],
    tests: ['test/licensing/licensing-production'],
  },
  {
    name: 'scan alerts: go to an address that is not confirmed',
    mutations: [{ symbol: 'ScanAlerts.recipients', from: /emailConfirmed && /, to: '' }],
    tests: ['test/scans/alerts'],
    only: 'not confirmed',
  },
];
