import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readSettings, type Settings } from '../../../src/programs/settings.js';
import { createHttpApp } from '../../../src/programs/http-app.js';
import { checkAnswersOf } from '../rules/contract.js';
import { createTestDatabase, type TestDatabase } from '../database/database.js';
import { closedWithFile } from '../left-open.js';
import { useQuickPasswords } from './quick-passwords.js';

/** The service under test: the real application on a separate database, listening on loopback. */
export interface TestService {
  app: NestExpressApplication;
  database: TestDatabase;
  settings: Settings;
  /** e.g. `http://127.0.0.1:41234` */
  baseUrl: string;
  close(): Promise<void>;
}

/**
 * Closes an application that listens. Clients may have opened connections that they never used, and `app.close()`
 * would wait for these without end.
 */
export async function closeApp(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer() as Server;
  server.close();
  server.closeAllConnections();
  await app.close();
}

/** Signs the webhooks of tests. */
export const TEST_WEBHOOK_SECRET = 'whsec_of_the_tests_and_of_nothing_else';

/** Settings as a test needs them: quiet, own secrets, no rate limit. `environment` overrides. */
export function testSettings(databaseUrl: string, environment: NodeJS.ProcessEnv = {}): Settings {
  return readSettings({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PORT: '0',
    DATABASE_URL: databaseUrl,
    RUN_WORKER: 'false',
    // Made with the first mail.
    DATA_DIR: join(tmpdir(), `consent-data-${randomBytes(8).toString('hex')}`),
    INGEST_RATE_PER_MINUTE: '0',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    STRIPE_WEBHOOK_SECRETS: TEST_WEBHOOK_SECRET,
    // Made at the first publication.
    STORAGE_URL: pathToFileURL(join(tmpdir(), `consent-cdn-${randomBytes(8).toString('hex')}`)).href,
    ...environment,
  });
}

/** Starts the service; call in `beforeAll`, and `close()` in `afterAll`. `prepare` comes before its first connection. */
export async function startTestService(
  environment: NodeJS.ProcessEnv = {},
  prepare?: (database: TestDatabase) => Promise<void>,
): Promise<TestService> {
  const database = await createTestDatabase();
  await prepare?.(database);
  const settings = testSettings(database.url, environment);
  const app = await createHttpApp(settings);
  useQuickPasswords(app);
  await app.listen(0, '127.0.0.1');
  const baseUrl = await app.getUrl();
  const stopChecking = checkAnswersOf(baseUrl);
  return {
    app,
    database,
    settings,
    baseUrl,
    close: closedWithFile(async () => {
      stopChecking();
      await closeApp(app);
      await database.close();
      rmSync(settings.service.dataDir, { recursive: true, force: true });
      if (settings.publishing.storage.kind === 'folder')
        rmSync(settings.publishing.storage.path, { recursive: true, force: true });
    }),
  };
}
