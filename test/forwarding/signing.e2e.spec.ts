import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { TokenVault } from '../../src/modules/forwarding/infrastructure/secret.rows.js';
import type { SecretKey } from '../../src/platform/settings/secret-keys.settings.js';
import {
  choose,
  createForwardingProject,
  read,
  saveForwarding,
  settled,
} from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';
import {
  makeTestAuthority,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

interface NewSecret {
  signingSecret: string;
  formerValidUntil: string | null;
}

interface Signing {
  signing: { configured: boolean; createdAt: string | null; formerValidUntil: string | null };
}

/** As after a rotation of SECRET_KEYS: the second one still opens. */
const [NEW_KEY, OLD_KEY] = ['k2', 'k1'].map((id) => ({ id, key: randomBytes(32) })) as [SecretKey, SecretKey];
const WEEK_MS = 7 * 24 * 60 * 60_000;

let authority: TestAuthority;
let receiver: Receiver;
let service: TestService;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority);
  service = await startTestService({
    SECRET_KEYS: [NEW_KEY, OLD_KEY].map(({ id, key }) => `${id}:${key.toString('base64')}`).join(),
    RUN_WORKER: 'true',
    FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
  });
});

afterEach(() => {
  receiver.requests.splice(0);
});

afterAll(async () => {
  await service.close();
  await receiver.close();
  authority.remove();
});

const makeSecret = async (project: TestProject): Promise<NewSecret> => {
  const response = await project.request('editor', 'POST', '/forwarding/signing-secret');
  expect({ status: response.status, cache: response.headers.get('cache-control') }).toEqual({
    status: 200,
    cache: 'no-store',
  });
  return (await response.json()) as NewSecret;
};

const remove = async (project: TestProject, what: '' | '/former'): Promise<void> => {
  const response = await project.request('editor', 'DELETE', `/forwarding/signing-secret${what}`);
  expect(response.status).toBe(204);
};

/** What arrives of a new record. */
async function sent(project: TestProject, fields: Record<string, unknown> = {}): Promise<ReceivedRequest> {
  const { id } = await choose(service, project.id, { note: 'ä ü', ...fields });
  return until('it arrives', () => receiver.requests.find(({ headers }) => headers['webhook-id'] === id));
}

/** Whether the library of Standard Webhooks takes the request, as a receiver would ask. */
function takes(secret: NewSecret, { headers, body }: ReceivedRequest): boolean {
  try {
    new Webhook(secret.signingSecret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const signingOf = async (project: TestProject): Promise<Signing['signing']> =>
  (await read<Signing>(project, '/forwarding')).signing;

describe('signed requests (Standard Webhooks)', () => {
  it('carry the time of the attempt, and no signature until there is a secret', async () => {
    const project = await createForwardingProject(service, receiver.url);
    const request = await sent(project);
    expect(request.headers).not.toHaveProperty('webhook-signature');
    const seconds = Number(request.headers['webhook-timestamp']);
    expect(Math.abs(Date.now() / 1000 - seconds)).toBeLessThan(60);
    expect(Number.isInteger(seconds)).toBe(true);
    expect(await signingOf(project)).toEqual({ configured: false, createdAt: null, formerValidUntil: null });
  });

  it('are taken by the library, with the secret that was shown once', async () => {
    const project = await createForwardingProject(service, receiver.url);
    const secret = await makeSecret(project);
    expect(secret.formerValidUntil).toBeNull();
    expect(takes(secret, await sent(project))).toBe(true);
    const settings = await read<Signing>(project, '/forwarding');
    expect(settings.signing).toMatchObject({ configured: true, formerValidUntil: null });
    expect(Date.now() - Date.parse(settings.signing.createdAt ?? '')).toBeLessThan(60_000);
    expect(JSON.stringify(settings)).not.toContain('whsec');
    const [row] = await service.database.query(
      `select encode(signing_ciphertext, 'escape') as text from forwarding_settings where project_id = $1`,
      [project.id],
    );
    expect(JSON.stringify(row)).not.toContain(secret.signingSecret.slice(6));
  });

  it('are signed with two secrets while one replaces the other, and never with more', async () => {
    const project = await createForwardingProject(service, receiver.url);
    const first = await makeSecret(project);
    const second = await makeSecret(project);
    const until = Date.parse(second.formerValidUntil ?? '');
    expect(Math.abs(until - Date.now() - WEEK_MS)).toBeLessThan(60_000);
    expect((await signingOf(project)).formerValidUntil).toBe(second.formerValidUntil);
    const both = await sent(project);
    expect([first, second].map((secret) => takes(secret, both))).toEqual([true, true]);

    const third = await makeSecret(project);
    const later = await sent(project);
    expect([first, second, third].map((secret) => takes(secret, later))).toEqual([false, true, true]);

    await remove(project, '/former');
    const alone = await sent(project);
    expect([second, third].map((secret) => takes(secret, alone))).toEqual([false, true]);
    expect((await signingOf(project)).formerValidUntil).toBeNull();
  });

  it('are signed with a former secret that another key encrypted', async () => {
    const project = await createForwardingProject(service, receiver.url);
    const former = await makeSecret(project);
    const sealed = new TokenVault({ secretKeys: [OLD_KEY] }).seal(
      project.id,
      former.signingSecret,
      'signing_secret',
    );
    await service.database.query(
      'update forwarding_settings set signing_ciphertext = $2, signing_key_id = $3 where project_id = $1',
      [project.id, sealed.ciphertext, sealed.keyId],
    );
    const newest = await makeSecret(project);
    const request = await sent(project);
    expect([takes(former, request), takes(newest, request)]).toEqual([true, true]);
  });

  it('are signed with the newest alone once the former one has run out', async () => {
    const project = await createForwardingProject(service, receiver.url);
    const [first, second] = [await makeSecret(project), await makeSecret(project)];
    await service.database.query(
      `update forwarding_settings set former_signing_until = now() - interval '1 second' where project_id = $1`,
      [project.id],
    );
    const request = await sent(project);
    expect([first, second].map((secret) => takes(secret, request))).toEqual([false, true]);
    expect((await signingOf(project)).formerValidUntil).toBeNull();
  });

  it('are signed no more once the secret is removed, also where there was none', async () => {
    const project = await createForwardingProject(service, receiver.url);
    await makeSecret(project);
    for (const _ of [1, 2]) await remove(project, '');
    expect((await sent(project)).headers).not.toHaveProperty('webhook-signature');
    expect(await signingOf(project)).toEqual({ configured: false, createdAt: null, formerValidUntil: null });
  });

  it('are signed all the same where the secrets of another project are rotated and removed', async () => {
    const [project, other] = [
      await createForwardingProject(service, receiver.url),
      await createForwardingProject(service, receiver.url),
    ];
    const secrets = [await makeSecret(project), await makeSecret(project)];
    for (const _ of [1, 2]) await makeSecret(other);
    await remove(other, '/former');
    await remove(other, '');
    const request = await sent(project);
    expect(secrets.map((secret) => takes(secret, request))).toEqual([true, true]);
  });

  it('are signed in the mode "No auth", and by Test', async () => {
    const project = await createForwardingProject(service, receiver.url, { authMode: 'none' });
    const secret = await makeSecret(project);
    expect(takes(secret, await sent(project))).toBe(true);
    receiver.requests.splice(0);
    expect((await project.request('editor', 'POST', '/forwarding/test')).status).toBe(200);
    const [request] = receiver.requests;
    expect(request && takes(secret, request)).toBe(true);
  });

  it('are not signed for an endpoint that a visitor has named', async () => {
    const project = await createForwardingProject(service, receiver.url);
    await makeSecret(project);
    const saved = await saveForwarding(project, {
      endpointUrl: null,
      authMode: 'none',
      allowCustomEndpoint: true,
    });
    expect(saved.status).toBe(200);
    const request = await sent(project, { custom_endpoint: receiver.url });
    expect(request.headers).not.toHaveProperty('webhook-signature');
  });

  it('fail in words where the stored secret cannot be read any more', async () => {
    const project = await createForwardingProject(service, receiver.url);
    await makeSecret(project);
    await service.database.query(
      `update forwarding_settings set signing_ciphertext = token_ciphertext where project_id = $1`,
      [project.id],
    );
    const { id } = await choose(service, project.id);
    expect(await settled(project, id)).toMatchObject({
      outcome: 'failed',
      category: 'configuration',
      reason: 'The stored signing secret can no longer be decrypted. Create a new one.',
    });
  });
});
