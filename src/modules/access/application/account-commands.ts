import { isUuid } from '../../../platform/identity/ids.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import {
  atMost,
  type Command,
  type ParsedArgs,
  OperatorError,
  print,
  required,
  UsageError,
} from '../../../platform/operations/operator-command.js';
import { serviceSettings } from '../../../platform/settings/service.settings.js';
import { EMAIL } from '../domain/account.js';

/** Operator commands for user accounts. */
export const accountCommands: Command[] = [
  {
    name: 'account create',
    synopsis: '<address> [--name <name>]',
    summary: 'create an account, regardless of SIGN_UP, and print a link to set its password',
    options: { name: { type: 'string' } },
    prepare: (parsed) => {
      const email = requireEmail(parsed);
      const name = typeof parsed.values['name'] === 'string' ? parsed.values['name'].trim() : '';
      return async ({ orm, settings }) => {
        const { createAccount } = await import('./operator-accounts.js');
        const made = await createAccount(orm.em, {
          email,
          name: name || email.slice(0, email.lastIndexOf('@')),
          baseUrl: resolveBaseUrl(settings(serviceSettings)),
        });
        if (!made) throw new OperatorError('An account with this address already exists.');
        print(`Account created. ${described(made)}`);
      };
    },
  },
  {
    name: 'account reset-password',
    synopsis: '<address>',
    summary: 'print a link to set a new password, for an owner who cannot receive the mail',
    options: {},
    prepare: (parsed) => {
      const email = requireEmail(parsed);
      return async ({ orm, settings }) => {
        const { resetPassword } = await import('./operator-accounts.js');
        const baseUrl = resolveBaseUrl(settings(serviceSettings));
        const made = await resetPassword(orm.em, { email, baseUrl });
        if (!made) throw new OperatorError('No account with this address.');
        print(described(made));
      };
    },
  },
  {
    name: 'account confirm',
    synopsis: '<address>',
    summary: 'confirm the email address of an account on behalf of its owner',
    options: {},
    prepare: (parsed) => {
      const email = requireEmail(parsed);
      return async ({ orm }) => {
        const { confirmAccount } = await import('./operator-accounts.js');
        if (!(await confirmAccount(orm.em, email))) throw new OperatorError('No account with this address.');
        print('Confirmed. Access granted to this address is now effective.');
      };
    },
  },
  {
    name: 'account drop-second-factor',
    synopsis: '<address>',
    summary: 'turn off 2FA for an account whose owner has lost the device and the recovery codes',
    options: {},
    prepare: (parsed) => {
      const email = requireEmail(parsed);
      return async ({ orm }) => {
        const { dropSecondFactor } = await import('./operator-accounts.js');
        if (!(await dropSecondFactor(orm.em, email)))
          throw new OperatorError('No account with this address.');
        print('2FA is off. The password alone is enough to sign in.');
      };
    },
  },
  {
    name: 'account make-admin',
    synopsis: '<address> --organization <id>',
    summary: 'make an account an admin of an organization whose admins cannot sign in any more',
    options: { organization: { type: 'string' } },
    prepare: (parsed) => {
      const email = requireEmail(parsed);
      const organizationId = required(parsed, 'organization', 'the id of the organization').toLowerCase();
      if (!isUuid(organizationId)) throw new UsageError('--organization must be the id of an organization.');
      return async ({ orm }) => {
        const { makeAdmin } = await import('./operator-accounts.js');
        const outcome = await makeAdmin(orm.em, { email, organizationId });
        if (outcome !== 'made') throw new OperatorError(NOT_MADE[outcome]);
        print('The account is an admin of the organization.');
      };
    },
  },
];

const NOT_MADE = {
  'no account': 'No account with this address.',
  'not confirmed': 'The address of this account is not confirmed. Run "account confirm" first.',
  'no organization': 'No organization with this id.',
};

function described({ link, until }: { link: string; until: Date }): string {
  return `The link sets its password. It works once and expires at ${until.toISOString()}:\n${link}`;
}

function requireEmail(parsed: ParsedArgs): string {
  const [address] = parsed.args;
  if (address === undefined || !EMAIL.test(address))
    throw new UsageError('Specify the email address of the account.');
  atMost(1, parsed);
  return address.toLowerCase();
}
