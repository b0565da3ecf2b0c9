import { atMost, type Command, DRY_RUN, OperatorError, print } from '../../shared/operator-command.js';
import { secretSettings } from '../../shared/secret-keys.settings.js';

/** The bearer tokens and signing secrets at rest and the keys that encrypt them (SECRET_KEYS). */
export const secretCommands: Command[] = [
  {
    name: 'secrets list',
    synopsis: '',
    summary: 'count the stored tokens and signing secrets by the key that encrypts them',
    options: {},
    prepare: (given) => {
      atMost(0, given);
      return async ({ orm, settings }) => {
        const { countSecretsByKey } = await import('./stored-tokens.js');
        const { secretKeys } = settings(secretSettings);
        const counts = new Map(
          (await countSecretsByKey(orm.em)).map(({ keyId, secrets }) => [keyId, secrets]),
        );
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
      'encrypt every stored token and signing secret with the first of SECRET_KEYS, so that the others can go',
    options: DRY_RUN,
    prepare: (given) => {
      atMost(0, given);
      const dryRun = given.values['dry-run'] === true;
      return async ({ orm, settings }) => {
        const { reEncryptSecrets } = await import('./stored-tokens.js');
        const { done, unreadable } = await reEncryptSecrets(orm.em, settings(secretSettings), { dryRun });
        print(dryRun ? `Would encrypt ${done} anew.` : `Encrypted ${done} anew.`);
        if (unreadable.length === 0) return;
        throw new OperatorError(
          `${unreadable.length} cannot be read: the key is missing or the row was changed. Their owners must save the ` +
            `token, or make the signing secret, again: ${unreadable.slice(0, 20).join(', ')}${unreadable.length > 20 ? ', …' : ''}`,
        );
      };
    },
  },
];
