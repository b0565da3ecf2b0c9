import {
  atMost,
  type Command,
  DRY_RUN,
  OperatorError,
  print,
} from '../../../platform/operations/operator-command.js';
import { secretSettings } from '../../../platform/settings/secret-keys.settings.js';

/**
 * Commands for the stored bearer tokens and signing secrets, and for the keys that encrypt them
 * (SECRET_KEYS).
 */
export const secretCommands: Command[] = [
  {
    name: 'secrets list',
    synopsis: '',
    summary: 'count stored tokens and signing secrets by encryption key',
    options: {},
    prepare: (parsed) => {
      atMost(0, parsed);
      return async ({ orm, settings }) => {
        const { countAllSecrets } = await import('./stored-tokens.js');
        const { secretKeys } = settings(secretSettings);
        const counts = new Map((await countAllSecrets(orm.em)).map(({ keyId, secrets }) => [keyId, secrets]));
        const known = secretKeys.map(({ id }) => id);
        for (const id of new Set([...known, ...counts.keys()])) {
          const place = known.indexOf(id);
          const role = place === 0 ? 'encrypts' : place > 0 ? 'decrypts' : 'MISSING from SECRET_KEYS';
          print(`${id}  ${role}  ${counts.get(id) ?? 0} stored`);
        }
      };
    },
  },
  {
    name: 'secrets re-encrypt',
    synopsis: '[--dry-run]',
    summary:
      're-encrypt all stored tokens and signing secrets with the first key of SECRET_KEYS, so that the others can be removed',
    options: DRY_RUN,
    prepare: (parsed) => {
      atMost(0, parsed);
      const dryRun = parsed.values['dry-run'] === true;
      return async ({ orm, settings }) => {
        const { reEncryptSecrets } = await import('./stored-tokens.js');
        const { done, unreadable } = await reEncryptSecrets(orm.em, settings(secretSettings), { dryRun });
        print(dryRun ? `Would re-encrypt ${done}.` : `Re-encrypted ${done}.`);
        if (unreadable.length === 0) return;
        throw new OperatorError(
          `${unreadable.length} cannot be decrypted: the key is missing or the row was changed. Their owners must save the ` +
            `token, or create the signing secret, again: ${unreadable.slice(0, 20).join(', ')}${unreadable.length > 20 ? ', …' : ''}`,
        );
      };
    },
  },
];
