import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { issueCertificate, makeCertificateAuthority } from '../src/one-machine/certificates.js';
import { DemoReceiver } from '../src/one-machine/demo-receiver.js';

describe(DemoReceiver.name, () => {
  let folder: string;
  let receiver: DemoReceiver;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'consent-demo-receiver-'));
    receiver = new DemoReceiver(folder, 'a token of this test');
  });
  afterEach(async () => {
    await receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = async (): Promise<number | undefined> => {
    const sent = request(receiver.url, { method: 'POST', ca: readFileSync(receiver.caFile), agent: false });
    sent.end('{}');
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

  it('makes a new one at a start after the time of the old one is over', async () => {
    const authority = await makeCertificateAuthority();
    const expired = await issueCertificate(authority, ['127.0.0.1'], { expired: true });
    writeFileSync(receiver.caFile, authority.certificatePem);
    writeFileSync(certificateFile(), JSON.stringify(expired));
    await receiver.start();
    expect(await post()).toBe(204);
  });
});
