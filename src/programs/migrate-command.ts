import { atMost, type StandaloneCommand, print } from '../platform/operations/operator-command.js';

/**
 * `npm run migrate`: migrates the database of DATABASE_OWNER_URL and exits, for installations whose
 * serving processes may not. Succeeds also if the schema is up to date already.
 */
export const migrateCommand: StandaloneCommand = {
  name: 'migrate',
  synopsis: '',
  summary: 'migrate the database of DATABASE_OWNER_URL; npm start migrates the embedded database',
  options: {},
  prepare: (parsed) => {
    atMost(0, parsed);
    return async () => {
      const [{ readProcessSettings }, { migrateOnly }, { StartError }] = await Promise.all([
        import('./settings.js'),
        import('./start-database.js'),
        import('./start-error.js'),
      ]);
      const { database } = readProcessSettings();
      if (!database.databaseUrl)
        throw new StartError(
          'Set DATABASE_URL and DATABASE_OWNER_URL. npm start migrates the embedded database.',
        );
      const ran = await migrateOnly(database, ({ tryNumber, triesMax, pauseMs }) =>
        print(`a table is locked; retry ${tryNumber} of ${triesMax} in ${pauseMs / 1000} s`),
      );
      for (const name of ran) print(`ran ${name}`);
      print('the schema is up to date');
    };
  },
};
