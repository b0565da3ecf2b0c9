import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** The file that operators use too, so that both kinds of installation have the same roles. */
const ROLES_FILE = join(import.meta.dirname, '..', '..', 'deploy', 'postgres', 'roles.sql');

/** The role that migrates and the one that serves. Neither is the server's superuser. */
export const OWNER_ROLE = 'service_owner';
export const RUNTIME_ROLE = 'service_runtime';
/** The role that scans. */
export { SCANNER_ROLE } from '../platform/database/grants.js';

/**
 * Makes the roles of owner, service and scanner in the database of `superuserUrl`, or gives existing ones these passwords,
 * and hands over to the owner what an earlier version made as superuser. Harmless when repeated.
 */
export async function createRoles(
  superuserUrl: string,
  passwords: { owner: string; runtime: string; scanner: string },
): Promise<void> {
  const client = new Client({
    connectionString: superuserUrl,
    options: Object.entries(passwords)
      .map(([role, password]) => `-c service.${role}_password=${password}`)
      .join(' '),
  });
  await client.connect();
  try {
    await client.query(readFileSync(ROLES_FILE, 'utf8'));
  } finally {
    await client.end();
  }
}
