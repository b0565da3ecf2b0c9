import { describe, expect, it } from '@jest/globals';
import { outboundBody } from '../../../../src/modules/forwarding/domain/outbound-request.js';
import { requestBody } from './request-body.js';

const RECORD = {
  id: '01890a5d-ac96-774b-bcce-b302099a8058',
  projectId: '01890a5d-ac96-774b-bcce-b302099a8057',
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
};
const AT = '2026-11-21T12:00:00.750Z';

/** The forwarder's actual request body. */
function sent(
  extra: Record<string, unknown>,
  shown: { configHash: string; language: string } | null,
): unknown {
  const { configHash = null, language = null } = shown ?? {};
  const record = { ...RECORD, configHash, language, surface: null, extra, receivedAt: new Date(AT) };
  const unused = { customEndpoint: null, skippedReason: null, salt: null };
  return JSON.parse(outboundBody({ ...record, ...unused }));
}

describe('requestBody', () => {
  it.each<[string, Record<string, unknown>, { configHash: string; language: string } | null]>([
    ['a record', {}, null],
    ['additional fields', { userId: 'u1', nested: { a: [1] } }, null],
    ['additional fields with the names of others', { id: 'x', receivedAt: 'y', schemaVersion: 9 }, null],
    ['what was shown', { language: 'x' }, { configHash: 'a'.repeat(64), language: 'de' }],
    ['an older record, whose language is an additional field', { language: 'x' }, null],
  ])('is what the forwarder sends of %s', (_, additionalFields, shown) => {
    const { configHash = null, language = null } = shown ?? {};
    const view = { ...RECORD, configHash, language, surface: null, receivedAt: AT, additionalFields };
    expect(requestBody(view)).toEqual(sent(additionalFields, shown));
  });
});
