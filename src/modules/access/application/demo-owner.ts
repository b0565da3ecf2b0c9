import type { EntityManager } from '@mikro-orm/postgresql';
import { DEMO_OWNER_EMAIL } from '../domain/account.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { Passwords } from '../infrastructure/passwords.js';
import { findUser, insertUser, setPasswordHash } from '../infrastructure/user.rows.js';

const NAME = 'Demo owner';

/** Creates the demo account, owner of the demo project, if it is missing. Development only. */
export async function prepareDemoOwner(em: EntityManager, projectId: string): Promise<void> {
  const now = new Date();
  await em.fork().transactional(async (tx) => {
    const userId =
      (await insertUser(tx, { name: NAME, email: DEMO_OWNER_EMAIL, passwordHash: null }, now)) ??
      (await demoOwnerId(tx));
    await accessTables(tx)
      .insertInto('project_member')
      .values({ projectId, userId, role: 'owner', createdAt: now })
      .onConflict((conflict) => conflict.columns(['projectId', 'userId']).doNothing())
      .execute();
  });
}

/** Gives the demo account a new password, kept only in this process. Takes the time of a password hash. */
export async function setDemoPassword(em: EntityManager, password: string): Promise<void> {
  const passwords = new Passwords();
  const passwordHash = await passwords.hash(password).finally(() => passwords.onApplicationShutdown());
  await em.fork().transactional(async (tx) => {
    await setPasswordHash(tx, await demoOwnerId(tx), passwordHash, new Date());
  });
}

async function demoOwnerId(em: EntityManager): Promise<string> {
  const owner = await findUser(em, DEMO_OWNER_EMAIL);
  if (!owner) throw new Error('the demo account no longer exists');
  return owner.id;
}
