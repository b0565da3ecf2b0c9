import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { EndpointVault } from '../../src/modules/events/infrastructure/endpoint-vault.js';
import { type EndpointRef, findEndpoint } from '../../src/modules/events/infrastructure/endpoint.rows.js';
import {
  missingKeysSentence,
  reEncryptSecrets,
} from '../../src/modules/forwarding/application/stored-tokens.js';
import { TokenVault } from '../../src/modules/forwarding/infrastructure/secret.rows.js';
import { newId } from '../../src/platform/identity/ids.js';
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

it('encrypts both secrets of an event endpoint again, and names the project of one that no key opens', async () => {
  const { id: projectId } = await createTestProject(service);
  const former = new EndpointVault({ secretKeys: [oldKey!] });
  const store = async (vault: EndpointVault): Promise<EndpointRef> => {
    const ref = { projectId, id: newId() };
    const [current, last] = ['whsec_current', 'whsec_former'].map((secret) => vault.seal(ref, secret));
    await service.database.query(
      `insert into event_endpoint (project_id, id, url, description, event_types, enabled, keep_response_bodies,
         secret_ciphertext, secret_key_id, former_secret_ciphertext, former_secret_key_id, former_secret_until)
       values ($1, $2, 'https://x.example.com/', '', '{tier.changed}', true, false, $3, $4, $5, $6, now())`,
      [projectId, ref.id, current!.ciphertext, current!.keyId, last!.ciphertext, last!.keyId],
    );
    return ref;
  };
  const ref = await store(former);
  await store(new EndpointVault({ secretKeys: [{ id: 'gone', key: randomBytes(32) }] }));
  const { orm } = service.database;
  expect(await missingKeysSentence(orm.em, settings)).toMatch(/missing keys .* gone \(2 stored\)/);
  const result = { done: 2, unreadable: [projectId] };
  expect(await reEncryptSecrets(orm.em, settings, { dryRun: true })).toMatchObject({
    unreadable: [projectId],
  });
  expect(await reEncryptSecrets(orm.em, settings, { dryRun: false })).toEqual(result);
  const stored = await findEndpoint(orm.em.fork(), ref);
  expect([stored?.secretKeyId, stored?.formerSecretKeyId]).toEqual(['k2', 'k2']);
  const secrets = new EndpointVault({ secretKeys: [newKey!] }).open(ref, stored!);
  expect(secrets).toEqual(['whsec_current', 'whsec_former']);
  const other = { ...ref, id: newId() };
  expect(new EndpointVault(settings).open(other, stored!)).toBeNull();
});
