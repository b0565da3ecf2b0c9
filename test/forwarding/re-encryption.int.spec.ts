import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { reEncryptSecrets } from '../../src/modules/forwarding/application/stored-tokens.js';
import { TokenVault } from '../../src/modules/forwarding/infrastructure/secret.rows.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const [newKey, oldKey] = ['k2', 'k1'].map((id) => ({ id, key: randomBytes(32) }));
const settings = { secretKeys: [newKey!, oldKey!] };

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

it('keeps a token that its owner saves while all are encrypted again', async () => {
  const { id } = await createTestProject(service);
  const former = new TokenVault({ secretKeys: [oldKey!] });
  const [before, saved] = [former.seal(id, 'before'), former.seal(id, 'saved meanwhile')];
  await service.database.query(
    `insert into forwarding_settings (project_id, enabled, auth_mode, token_ciphertext, token_key_id)
     values ($1, false, 'bearer', $2, $3)`,
    [id, before.ciphertext, before.keyId],
  );
  const owner = new Client({ connectionString: service.database.url });
  await owner.connect();
  try {
    await owner.query('begin');
    await owner.query('update forwarding_settings set token_ciphertext = $2 where project_id = $1', [
      id,
      saved.ciphertext,
    ]);
    const encrypting = reEncryptSecrets(service.database.orm.em, settings, { dryRun: false });
    await until('it waits for the owner', async () => {
      const waiting = await service.database.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%forwarding_settings%'`,
      );
      return waiting.length > 0;
    });
    await owner.query('commit');
    await encrypting;
  } finally {
    await owner.end();
  }
  const [row] = await service.database.query<{ ciphertext: Buffer; keyId: string }>(
    'select token_ciphertext as ciphertext, token_key_id as "keyId" from forwarding_settings where project_id = $1',
    [id],
  );
  expect(new TokenVault(settings).open(id, row!)).toBe('saved meanwhile');
  expect(await reEncryptSecrets(service.database.orm.em, settings, { dryRun: false })).toEqual({
    done: 1,
    unreadable: [],
  });
});
