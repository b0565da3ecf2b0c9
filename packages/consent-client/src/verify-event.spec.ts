import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { catalogue } from '../../../src/modules/events/domain/catalogue.js';
import { createSigningSecret, signatureOf } from '../../../src/platform/delivery/domain/webhook-signature.js';
import { EventVerificationError, verifyEvent } from './verify-event.js';

const secret = createSigningSecret();
const id = '01a1fb60-3f6e-739a-81de-2b5fe5891237';
const body = JSON.stringify({
  type: 'tier.changed',
  timestamp: '2026-12-01T09:30:00.000Z',
  data: { note: 'ä' },
});
const now = (): number => Math.floor(Date.now() / 1000);

const signed = (given: { body?: string; secrets?: string[]; seconds?: number } = {}) => {
  const { seconds: timestampSeconds = now(), secrets = [secret] } = given;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatureOf({ id, timestampSeconds, body: given.body ?? body }, secrets),
  };
};

/** The code with which a request is refused; null: it is accepted. */
const refusal = (
  headers: Record<string, string | undefined>,
  text: string | Uint8Array = body,
): string | null => {
  try {
    verifyEvent(secret, headers, text);
    return null;
  } catch (error) {
    return error instanceof EventVerificationError ? error.code : String(error);
  }
};

describe(verifyEvent.name, () => {
  it.each(catalogue('https://consent.example.com').map(({ type, example }) => [type, example] as const))(
    'returns %s as it was sent',
    (type, example) => {
      const text = JSON.stringify(example);
      const event = verifyEvent(secret, signed({ body: text }), text);
      expect([event.type, event]).toEqual([type, example]);
    },
  );

  it("takes fetch's headers, Node's, and bytes", () => {
    const event = verifyEvent(secret, new Headers(signed()), Buffer.from(body));
    // The members of data follow from the type.
    if (event.type === 'tier.changed') expect(event.data.to).toBeUndefined();
    expect(verifyEvent(secret, { ...signed(), 'webhook-id': [id] }, body)).toEqual(JSON.parse(body));
  });

  it('agrees with the library of Standard Webhooks', () => {
    expect(new Webhook(secret).verify(body, signed())).toEqual(verifyEvent(secret, signed(), body));
  });

  it('accepts one right signature of two, while the secret is rotated', () => {
    expect(refusal(signed({ secrets: [createSigningSecret(), secret] }))).toBeNull();
  });

  it.each([
    ['another secret', signed({ secrets: [createSigningSecret()] }), body],
    ['another body', signed(), body.replace('ä', 'a')],
    ['another id', { ...signed(), 'webhook-id': id.replace('0', '1') }, body],
    ['another time', { ...signed(), 'webhook-timestamp': String(now() - 1) }, body],
    ['no signature of version 1', { ...signed(), 'webhook-signature': 'v2,AAAA' }, body],
    [
      'a signature cut short',
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].slice(0, 20) },
      body,
    ],
  ])('refuses %s', (_, headers, text) => {
    expect(refusal(headers, text)).toBe('signature_invalid');
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a request without %s',
    (name) => {
      expect(refusal({ ...signed(), [name]: undefined })).toBe('header_missing');
    },
  );

  it('refuses requests of another time, and times that are none', () => {
    for (const seconds of [-310, 310])
      expect(refusal(signed({ seconds: now() + seconds }))).toBe('timestamp_outdated');
    for (const seconds of [-290, 290]) expect(refusal(signed({ seconds: now() + seconds }))).toBeNull();
    for (const text of ['soon', '-1', '1e9', '']) {
      const code = refusal({ ...signed(), 'webhook-timestamp': text });
      expect([text, code]).toEqual([text, text === '' ? 'header_missing' : 'timestamp_invalid']);
    }
  });

  it('refuses a body that is signed but no JSON', () => {
    expect(refusal(signed({ body: 'no' }), 'no')).toBe('body_invalid');
  });
});

it('has a type for each event of the catalogue, with its members', () => {
  const source = readFileSync('packages/consent-client/src/verify-event.ts', 'utf8');
  const typed = [...source.matchAll(/^ {2}'([a-z_]+\.[a-z_]+)': (?:object|\{ (.*) \});$/gm)].map(
    ([, type, fields = '']) => [type, [...fields.matchAll(/(\w+): /g)].map(([, name]) => name)],
  );
  const events = catalogue('https://consent.example.com').map(({ type, example }) => {
    const { projectId, id: subject, url, ...fields } = (example as { data: Record<string, unknown> }).data;
    expect([projectId, subject, url]).not.toContain(undefined);
    return [type, Object.keys(fields)];
  });
  expect(typed).toEqual(events);
});
