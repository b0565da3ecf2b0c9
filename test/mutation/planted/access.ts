import type { Planted } from '../planted.js';

const MAIL = 'test/mail/mail.e2e';

/** Defects of `src/modules/access`, `src/modules/organizations`, `src/modules/audit`, and `src/platform/mail`. */
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
        from: /needsSecondFactor && !/,
        to: "needsSecondFactor && role === 'owner' && !",
      },
    ],
    tests: ['test/access/second-factor'],
    only: 'is closed to one who is',
  },
  {
    name: 'access: a role in the organization replaces the one on the project',
    mutations: [
      {
        symbol: 'findStanding',
        from: /greatest\(\$\{roleRankOf\(sql`m\.role`\)\}, \$\{roleRankOf\(sql`g\.project_role`\)\}\)/,
        to: 'coalesce(${roleRankOf(sql`g.project_role`)}, ${roleRankOf(sql`m.role`)})',
      },
    ],
    tests: ['test/organizations/organizations'],
    only: 'adds up with the one on a project',
  },
  {
    name: 'organizations: a removed member keeps their keys',
    mutations: [
      {
        symbol: 'OrganizationMemberService.end',
        from: /await this\.people\.revokeBeyondRoles\([^;]*;/,
        to: '',
      },
    ],
    tests: ['test/organizations/organizations'],
    only: 'loses access at once',
  },
  {
    name: 'organizations: a member moves a project into an organization of which they are no admin',
    mutations: [
      {
        symbol: 'OrganizationProjects.move',
        from: /for \(const id of involved\) await requireAdminOf[^;]*;/,
        to: '',
      },
    ],
    tests: ['test/organizations/organizations'],
    only: 'moves only by an owner',
  },
  {
    name: 'access: a sign-in leaves the sessions that have expired',
    mutations: [{ symbol: 'SignInService.dropSurplusSessions', from: /expires_at < now\(\) or /, to: '' }],
    tests: ['test/access/access.sign-in'],
    only: 'that have expired',
  },
  {
    name: 'access: wrong current passwords count for fifteen hours',
    mutations: [{ symbol: 'CHANGE_WINDOW_SECONDS', value: '15 * 60 * 60' }],
    tests: ['test/access/access.sign-in'],
    only: 'current password when it is changed',
  },
  {
    name: 'access: an invitation is not in the language of the inviter',
    mutations: [
      { symbol: 'InvitationService.languageOf', from: /findLanguage\(tx, inviter\.email\)/, to: 'null' },
    ],
    tests: ['test/access/invitations'],
    only: 'language of the member',
  },
  {
    name: 'access: a change of address is confirmed in the language of another account',
    mutations: [
      {
        symbol: 'AccountMails.confirmEmailChange',
        from: /findLanguage\(tx, former\)/,
        to: 'findLanguage(tx, email)',
      },
    ],
    tests: ['test/access/own-account'],
    only: 'language of the account',
  },
  {
    name: 'access: API keys that have expired count as active',
    mutations: [{ symbol: 'ApiKeyService.issue', from: /\.\.\.notExpired,/, to: '...(notExpired && {}),' }],
    tests: ['test/access/access.e2e'],
    only: 'active ones',
  },
  ...[
    { name: 'API keys', symbol: 'ApiKeyService.list', tests: ['test/access/access.e2e'] },
    { name: 'invitations', symbol: 'InvitationService.list', tests: ['test/access/invitations'] },
  ].map(({ name, symbol, tests }) => ({
    name: `access: ${name} are listed with the oldest first`,
    mutations: [{ symbol, from: /orderBy: \{ id: 'desc' \}/, to: "orderBy: { id: 'asc' }" }],
    tests,
    only: 'newest first|the newest first',
  })),
  {
    name: 'access: requests for mails to an address count for a day',
    mutations: [
      {
        symbol: 'AccountLimits.constructor',
        from: /new SharedRateLimiter\(\{ \.\.\.shared, name, points, windowSeconds: HOUR_SECONDS \}\)/,
        to: 'new SharedRateLimiter({ ...shared, name, points, windowSeconds: DAY_SECONDS })',
      },
    ],
    tests: ['test/access/accounts.e2e'],
    only: 'with and without an account',
  },
  {
    name: 'access: a member who is lowered to a viewer leaves invitations of editors',
    mutations: [
      {
        symbol: 'MembershipRevocation.revokeGrants',
        from: /!roleCovers\(role, invitation\.role\)/,
        to: "invitation.role === 'owner'",
      },
    ],
    tests: ['test/access/own-account'],
    only: 'leaves no invitation behind',
  },
  {
    name: 'access: invitations to several projects are shown with the name of one',
    mutations: [
      {
        symbol: 'OwnInvitations.list',
        from: /names\.get\(projectId\)/,
        to: 'projects.find(() => projectId)?.name',
      },
    ],
    tests: ['test/access/invitations'],
    only: 'page by page',
  },
  {
    name: 'access: a device code can be used again',
    mutations: [{ symbol: 'DeviceAuthorizationService.poll', from: /await deleteDevice\(tx, id\);/, to: '' }],
    tests: ['test/access/personal-tokens'],
    only: 'becomes a token of the person',
  },
  {
    name: 'access: an old session approves a device without the password',
    mutations: [
      {
        symbol: 'RecentSignIn.require',
        from: /!isRecentSignIn\(signedInAt, new Date\(\)\)/,
        to: 'false',
      },
    ],
    tests: ['test/access/personal-tokens'],
    only: 'needs a recent sign-in',
  },
  {
    name: 'access: personal tokens survive a new password',
    mutations: [{ symbol: 'PasswordService.tellChanged', from: /await deleteTokens\(tx, userId\);/, to: '' }],
    tests: ['test/access/personal-tokens'],
    only: 'of a person with a new password',
  },
  {
    name: 'access: links that have expired stay stored',
    mutations: [
      {
        symbol: 'mintLink',
        from: /await accessTables\(tx\)\.deleteFrom\('account_link'\)\.where\('expiresAt', '<', now\)\.execute\(\);/,
        to: '',
      },
    ],
    tests: ['test/access/own-account'],
    only: 'links that have expired',
  },
  {
    name: 'access: sessions are listed beyond their last day',
    mutations: [
      { symbol: 'findSessions', from: /SESSION_DAYS_MAX \* DAY_MS/, to: '2 * SESSION_DAYS_MAX * DAY_MS' },
    ],
    tests: ['test/access/own-account'],
    only: 'are not listed',
  },
  {
    name: 'access: a deleted account leaves the second of its invitations',
    mutations: [
      {
        symbol: 'OwnAccountService.deleteIn',
        from: /await tx\.find\(ProjectInvitation, \{ email \}\)/,
        to: 'await tx.find(ProjectInvitation, { email }, { limit: 1 })',
      },
    ],
    tests: ['test/access/own-account'],
    only: 'the audits tell',
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
    mutations: [{ symbol: 'ScanAlerts.recipients', from: /emailConfirmed && \(/, to: '(' }],
    tests: ['test/scans/alerts'],
    only: 'not confirmed',
  },
];
