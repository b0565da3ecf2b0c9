import { newId } from '../../../src/platform/identity/ids.js';
import type { TestService } from './service.js';

/**
 * Reports a scanner that is running but claims nothing, so that scans can be requested without Chromium. It counts as
 * running for an hour, however long the tests take.
 */
export async function reportTestScanner({ database }: Pick<TestService, 'database'>): Promise<void> {
  await database.query(
    "insert into scanner (id, browser, seen_at) values ($1, 'Chromium 1.0', now() + interval '1 hour')",
    [newId()],
  );
}
