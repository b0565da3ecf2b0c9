import { describe, expect, it } from '@jest/globals';
import { outboundHeaders } from '../../../../src/modules/forwarding/domain/outbound-request.js';
import { requestHeaders, requestLine } from './request-headers.js';

const PROJECT_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const ATTEMPT = {
  consentId: '01890a5d-ac96-774b-bcce-b302099a8058',
  attemptedAt: '2026-11-21T12:00:00.750Z',
  host: 'consents.example.com:8443',
};
const SETTINGS = {
  endpointUrl: 'https://consents.example.com:8443/hook',
  authMode: 'bearer' as const,
  tokenConfigured: true,
  signing: { configured: true, createdAt: '2026-11-21T11:59:59.000Z', formerValidUntil: null },
};
const SECRETS = { bearerToken: 'a token', signingSecrets: [`whsec_${'A'.repeat(43)}=`] };

/** The forwarder's actual headers, with masked secrets. */
function sent(credentials: Parameters<typeof outboundHeaders>[1]): [string, string][] {
  const record = { id: ATTEMPT.consentId, projectId: PROJECT_ID };
  const flat = outboundHeaders(record, credentials, {
    body: '{}',
    attemptedAt: new Date(ATTEMPT.attemptedAt),
  });
  return flat.flatMap((name, place): [string, string][] => {
    const value = flat[place + 1] ?? '';
    if (place % 2 === 1) return [];
    if (name === 'Authorization') return [[name, 'Bearer ••••••••']];
    return [[name, name === 'webhook-signature' ? 'v1,••••••••' : value]];
  });
}

describe('requestLine', () => {
  it("has the URL of today's endpoint, and of another one the host alone", () => {
    expect(requestLine(ATTEMPT, SETTINGS)).toBe('POST https://consents.example.com:8443/hook');
    const endpointUrl = 'https://consents.example.com/hook';
    expect(requestLine(ATTEMPT, { ...SETTINGS, endpointUrl })).toBe(
      'POST https://consents.example.com:8443/…',
    );
  });
});

describe('requestHeaders', () => {
  it('are those that the forwarder sends, in its order, without its secrets', () => {
    const shown = requestHeaders(PROJECT_ID, ATTEMPT, SETTINGS);
    expect(shown).toEqual(sent(SECRETS));
    expect(JSON.stringify(shown)).not.toContain(SECRETS.bearerToken);
  });

  it('tell neither token nor signature where there was none', () => {
    const none = sent({ bearerToken: null, signingSecrets: [] });
    const unsigned = { configured: false, createdAt: null, formerValidUntil: null };
    const later = { ...SETTINGS.signing, createdAt: '2026-11-21T12:00:00.751Z' };
    for (const signing of [unsigned, later])
      expect(requestHeaders(PROJECT_ID, ATTEMPT, { ...SETTINGS, authMode: 'none', signing })).toEqual(none);
    // Another endpoint, which may have had its own.
    const endpointUrl = 'https://consents.example.com/hook';
    expect(requestHeaders(PROJECT_ID, ATTEMPT, { ...SETTINGS, endpointUrl })).toEqual(none);
  });
});
