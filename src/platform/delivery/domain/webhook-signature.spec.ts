import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createSigningSecret, signatureOf } from './webhook-signature.js';

describe('webhook-signature', () => {
  const content = () => ({
    id: '01a1fb60-3f6e-739a-81de-2b5fe5891237',
    timestampSeconds: Math.floor(Date.now() / 1000),
    body: '{"action":"custom","note":"ä ü"}',
  });

  const headersOf = (of: ReturnType<typeof content>, secrets: string[]): Record<string, string> => ({
    'webhook-id': of.id,
    'webhook-timestamp': String(of.timestampSeconds),
    'webhook-signature': signatureOf(of, secrets),
  });

  it('is the known one for a known secret', () => {
    const known = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signatureOf(known, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('is what the library of Standard Webhooks takes', () => {
    const [secret, of] = [createSigningSecret(), content()];
    expect(new Webhook(secret).verify(of.body, headersOf(of, [secret]))).toEqual(JSON.parse(of.body));
  });

  it('is taken by either secret while two are valid, and by no other', () => {
    const [current, former, of] = [createSigningSecret(), createSigningSecret(), content()];
    const headers = headersOf(of, [current, former]);
    expect(() => new Webhook(current).verify(of.body, headers)).not.toThrow();
    expect(() => new Webhook(former).verify(of.body, headers)).not.toThrow();
    expect(() => new Webhook(createSigningSecret()).verify(of.body, headers)).toThrow(
      'No matching signature',
    );
  });

  it.each([
    ['body', { body: '{"action":"custom","note":"ä u"}' }],
    ['id', { id: '01a1fb60-3f6e-739a-81de-2b5fe5891238' }],
    ['time', { timestampSeconds: Math.floor(Date.now() / 1000) - 1 }],
  ])('does not fit another %s', (_, other) => {
    const [secret, of] = [createSigningSecret(), content()];
    const changed = { ...of, ...other };
    const headers = { ...headersOf(changed, [secret]), 'webhook-signature': signatureOf(of, [secret]) };
    expect(() => new Webhook(secret).verify(changed.body, headers)).toThrow('No matching signature');
  });

  it('is made with secrets of 32 bytes that are never the same', () => {
    const secrets = Array.from({ length: 20 }, () => createSigningSecret());
    expect(new Set(secrets).size).toBe(20);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });
});
