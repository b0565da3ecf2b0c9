import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { issueCertificate, createCertificateAuthority } from '../../src/standalone/certificates.js';
import { DemoReceiver, readRecent, receiverUrl } from '../../src/standalone/demo/demo-receiver.js';

const TOKEN = 'the token of its owner';

describe(DemoReceiver.name, () => {
  let folder: string;
  let receiver: DemoReceiver;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'consent-demo-receiver-'));
    receiver = new DemoReceiver(folder, 'a token of this test', (projectId) =>
      Promise.resolve(projectId === 'without' ? null : TOKEN),
    );
  });
  afterEach(async () => {
    await receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = async (
    headers: Record<string, string> = { 'x-service-project-id': 'with', authorization: `Bearer ${TOKEN}` },
    body = '{}',
  ): Promise<number | undefined> => {
    const ca = readFileSync(receiver.caFile);
    const sent = request(receiverUrl(receiver.port), { method: 'POST', ca, agent: false, headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const certificateFile = (): string => join(folder, 'certificate.json');

  it('keeps its certificate from start to start', async () => {
    await receiver.start();
    const first = readFileSync(certificateFile(), 'utf8');
    await receiver.stop();
    await receiver.start();
    expect(readFileSync(certificateFile(), 'utf8')).toBe(first);
    expect(await post()).toBe(204);
  });

  it('requires the token that the owner saved, or none if none was saved', async () => {
    await receiver.start();
    const from = { 'x-service-project-id': 'with' };
    expect(await post({ ...from, authorization: `Bearer ${TOKEN}` })).toBe(204);
    expect(await post({ ...from, authorization: 'Bearer another' })).toBe(401);
    expect(await post(from)).toBe(401);
    expect(await post({})).toBe(401);
    expect(await post({ 'x-service-project-id': 'without' })).toBe(204);
  });

  it('accepts a token that the owner has just replaced, and refuses the former one', async () => {
    let saved = 'the former token';
    const lookUp = new Map<string, string>();
    const cached = new DemoReceiver(folder, 'unused', (projectId, options) => {
      if (options?.fresh || !lookUp.has(projectId)) lookUp.set(projectId, saved);
      return Promise.resolve(lookUp.get(projectId) ?? null);
    });
    await cached.start();
    receiver = cached;
    const from = { 'x-service-project-id': 'with' };
    expect(await post({ ...from, authorization: 'Bearer the former token' })).toBe(204);
    saved = TOKEN;
    expect(await post({ ...from, authorization: `Bearer ${TOKEN}` })).toBe(204);
    expect(await post({ ...from, authorization: 'Bearer the former token' })).toBe(401);
  });

  it('lists the last requests, newest first, without an incomplete line', async () => {
    await receiver.start();
    for (let n = 1; n <= 52; n += 1) await post(undefined, `{"n":${n}}`);
    await receiver.stop();
    appendFileSync(receiver.logFile, '{"half a li');
    const shown = (await readRecent(receiver.logFile)).map(({ body }) => (body as { n: number }).n);
    // A line of the fifty is the broken one.
    expect(shown).toEqual(Array.from({ length: 49 }, (_, index) => 52 - index));
  });

  it('replaces an expired certificate at the next start', async () => {
    const authority = await createCertificateAuthority();
    const expired = await issueCertificate(authority, ['127.0.0.1'], { expired: true });
    writeFileSync(receiver.caFile, authority.certificatePem);
    writeFileSync(certificateFile(), JSON.stringify(expired));
    await receiver.start();
    expect(await post()).toBe(204);
  });
});
