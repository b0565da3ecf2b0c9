import { baseUrlOf } from '../../shared/base-url.js';
import {
  atMost,
  type Command,
  type Given,
  OperatorError,
  print,
  UsageError,
} from '../../shared/operator-command.js';
import { serviceSettings } from '../../shared/service.settings.js';
import { EMAIL } from '../domain/email.js';

/** What an operator does for people's accounts. */
export const accountCommands: Command[] = [
  {
    name: 'account create',
    synopsis: '<address> [--name <name>]',
    summary: 'make an account, whatever SIGN_UP says, and print the link by which its person sets a password',
    options: { name: { type: 'string' } },
    prepare: (given) => {
      const email = addressOf(given);
      const name = typeof given.values['name'] === 'string' ? given.values['name'].trim() : '';
      return async ({ orm, settings }) => {
        const { createAccount } = await import('./operator-accounts.js');
        const made = await createAccount(orm.em, {
          email,
          name: name || email.slice(0, email.lastIndexOf('@')),
          baseUrl: baseUrlOf(settings(serviceSettings)),
        });
        if (!made) throw new OperatorError('This address has an account already.');
        print(`Made. The link sets the password, once, until ${made.until.toISOString()}:\n${made.link}`);
      };
    },
  },
  {
    name: 'account confirm',
    synopsis: '<address>',
    summary: "vouch that an account's address is its person's, who has not confirmed it",
    options: {},
    prepare: (given) => {
      const email = addressOf(given);
      return async ({ orm }) => {
        const { confirmAccount } = await import('./operator-accounts.js');
        if (!(await confirmAccount(orm.em, email))) throw new OperatorError('This address has no account.');
        print('Confirmed: what was given to this address counts.');
      };
    },
  },
  {
    name: 'account drop-second-factor',
    synopsis: '<address>',
    summary: 'take the second factor of an account away whose person has lost it and her recovery codes',
    options: {},
    prepare: (given) => {
      const email = addressOf(given);
      return async ({ orm }) => {
        const { dropSecondFactor } = await import('./operator-accounts.js');
        if (!(await dropSecondFactor(orm.em, email))) throw new OperatorError('This address has no account.');
        print('Dropped: the password alone opens a session.');
      };
    },
  },
];

function addressOf(given: Given): string {
  const [address] = given.args;
  if (address === undefined || !EMAIL.test(address)) throw new UsageError('Give the address of the account.');
  atMost(1, given);
  return address.toLowerCase();
}
