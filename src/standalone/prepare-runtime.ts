import { join } from 'node:path';
import { lockDataFolder } from './data-folder-lock.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { fillInSecrets, type StandaloneSettings } from './secrets.js';

/** The environment of the service: its complete settings, and the functions that stop it. */
export interface Runtime<S extends StandaloneSettings = StandaloneSettings> {
  settings: S;
  /** For the scanner of the embedded server's database; null: another program scans. */
  scannerDatabaseUrl: string | null;
  /** Empty in production, where STRIPE_WEBHOOK_SECRETS is given. */
  billingWebhookSecret: string;
  stop(): Promise<void>;
}

/**
 * Completes the settings. Without DATABASE_URL, this also locks the data folder for this process
 * and starts the embedded PostgreSQL in it.
 *
 * @throws DataFolderTakenError, EmbeddedPostgresError with sentences for the user
 */
export async function prepareRuntime<S extends StandaloneSettings>(given: S): Promise<Runtime<S>> {
  const { production, dataDir } = given.service;
  if (production)
    return {
      settings: given,
      scannerDatabaseUrl: null,
      billingWebhookSecret: '',
      stop: () => Promise.resolve(),
    };
  if (given.database.databaseUrl) {
    return { ...fillInSecrets(given), scannerDatabaseUrl: null, stop: () => Promise.resolve() };
  }
  const unlock = lockDataFolder(dataDir);
  try {
    const { settings, billingWebhookSecret } = fillInSecrets(given);
    const server = await startEmbeddedPostgres(join(dataDir, 'postgres'));
    const unwatch = server.keepRunning();
    return {
      settings: {
        ...settings,
        database: {
          ...settings.database,
          databaseUrl: server.databaseUrl,
          databaseOwnerUrl: server.ownerUrl,
        },
      },
      scannerDatabaseUrl: server.scannerUrl,
      billingWebhookSecret,
      stop: async () => {
        unwatch();
        await server.stop();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
