import { describe, expect, it } from '@jest/globals';
import { type ConsentRecorded, recordBody } from '../../consent/domain/consent-recorded.js';
import { canonicalJson } from '../../evidence/domain/commitment.js';
import { outboundBody, outboundHeaders } from './outbound-request.js';
import { signatureOf } from '../../../platform/delivery/domain/webhook-signature.js';

const RECORD: ConsentRecorded = {
  id: '01a1fec8-570f-715b-b2b3-e89dce8cae7b',
  projectId: '01a1fec8-570f-715b-b2b3-e89dce8cae7c',
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
  customEndpoint: null,
  configHash: null,
  language: null,
  surface: null,
  services: null,
  extra: null,
  receivedAt: new Date('2026-11-20T12:00:00.000Z'),
  skippedReason: null,
  salt: null,
  importId: null,
  originalId: null,
};

describe('outboundHeaders (spec §4.1)', () => {
  const own = [
    'X-Service-Project-Id',
    RECORD.projectId,
    'X-Service-Consent-Id',
    RECORD.id,
    'User-Agent',
    'Service-Consent-Forwarder/1.0',
    'Content-Type',
    'application/json',
    'Accept-Encoding',
    'identity',
    'webhook-id',
    RECORD.id,
    'webhook-timestamp',
    '1763640000',
  ];
  const headers = (bearerToken: string | null, signingSecrets: string[]): string[] => {
    const attempt = { body: '{}', attemptedAt: new Date(1_763_640_000_999) };
    return outboundHeaders(RECORD, { bearerToken, signingSecrets }, attempt);
  };

  it('begins with the token where there is one', () => {
    expect(headers('a-token', [])).toEqual(['Authorization', 'Bearer a-token', ...own]);
    expect(headers(null, [])).toEqual(own);
  });

  it('ends with a signature where there is a secret', () => {
    const secret = `whsec_${Buffer.from('a'.repeat(32)).toString('base64')}`;
    const signed = headers(null, [secret]);
    expect(signed.slice(0, -2)).toEqual(own);
    const content = { id: RECORD.id, timestampSeconds: 1_763_640_000, body: '{}' };
    expect(signed.slice(-2)).toEqual(['webhook-signature', signatureOf(content, [secret])]);
  });
});

describe('outboundBody (spec §2.1)', () => {
  const known = {
    schemaVersion: 1,
    id: RECORD.id,
    projectId: RECORD.projectId,
    analytics: true,
    marketing: false,
    preferences: true,
    action: 'custom',
    hostname: 'www.example.com',
    receivedAt: '2026-11-20T12:00:00.000Z',
  };

  it('is the record, and nothing of what is only ours', () => {
    expect(JSON.parse(outboundBody(RECORD))).toEqual(known);
  });

  it('tells what was on the screen, where the banner did', () => {
    const shown = { configHash: 'a'.repeat(64), language: 'pt-BR', surface: 'preferences' };
    expect(JSON.parse(outboundBody({ ...RECORD, ...shown }))).toEqual({ ...known, ...shown });
    // A record older than these known fields, and an unknown value: both are sent unchanged.
    const extra = { language: 5, surface: 'modal' };
    expect(JSON.parse(outboundBody({ ...RECORD, extra }))).toEqual({ ...known, ...extra });
  });

  it('is the canonical record with its evidence behind it, where it is sealed', () => {
    const extra = { b: 'é\u2028"', a: { z: [1, 0.5, null], 10: true, 9: '' } };
    const body = recordBody({ ...RECORD, extra });
    const evidence = { salt: 'c2FsdA==', commitment: 'Y29tbWl0', checkpoint: 'a.example/1\n2\n' };
    const sent = outboundBody({ ...RECORD, extra }, { canonical: canonicalJson(body), evidence });
    expect(JSON.parse(sent)).toEqual({ ...body, evidence });
  });

  it('keeps a field that has the name of the prototype, as a field', () => {
    const extra = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as Record<string, unknown>;
    const body = recordBody({ ...RECORD, extra });
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(JSON.stringify(body)).toBe(
      `${JSON.stringify(known).slice(0, -1)},"__proto__":{"polluted":1},"constructor":2}`,
    );
  });

  it('has additional fields beside the known ones, never over them', () => {
    const extra = { policy: { version: '7' }, id: 'another', receivedAt: 'never', toString: 'own' };
    expect(JSON.parse(outboundBody({ ...RECORD, extra }))).toEqual({
      ...known,
      policy: { version: '7' },
      toString: 'own',
    });
  });
});
