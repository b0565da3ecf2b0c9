import type { EntityManager } from '@mikro-orm/postgresql';
import { DEMO_OWNER_EMAIL } from '../domain/demo-owner.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { Passwords } from '../infrastructure/passwords.js';
import { findUser, insertUser, setPasswordHash } from '../infrastructure/user.rows.js';

const NAME = 'Demo owner';

/**
 * Creates the demo account, owner of the demo project, where it is missing. Sets a new password at
 * each start, which only this process knows. Development only.
 */
export async function prepareDemoOwner(
  em: EntityManager,
  { projectId, password }: { projectId: string; password: string },
): Promise<void> {
  const now = new Date();
  const passwords = new Passwords();
  const passwordHash = await passwords.hash(password).finally(() => passwords.onApplicationShutdown());
  await em.fork().transactional(async (tx) => {
    const requested = { name: NAME, email: DEMO_OWNER_EMAIL, passwordHash };
    const userId = (await insertUser(tx, requested, now)) ?? (await findUser(tx, DEMO_OWNER_EMAIL))?.id;
    if (userId === undefined) throw new Error('the demo account no longer exists');
    await setPasswordHash(tx, userId, passwordHash, now);
    await accessTables(tx)
      .insertInto('project_member')
      .values({ projectId, userId, role: 'owner', createdAt: now })
      .onConflict((conflict) => conflict.columns(['projectId', 'userId']).doNothing())
      .execute();
  });
}
