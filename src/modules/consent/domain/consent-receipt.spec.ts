import { describe, expect, it } from '@jest/globals';
import { receiptOf } from './consent-receipt.js';
import type { ConsentRecorded } from './consent-recorded.js';

const RECORD: ConsentRecorded = {
  id: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20',
  projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
  analytics: true,
  marketing: false,
  preferences: false,
  action: 'custom',
  hostname: 'www.example.com',
  customEndpoint: 'https://legacy.example.com/',
  configHash: 'a'.repeat(64),
  language: 'de',
  surface: 'banner',
  services: null,
  extra: { policyVersion: '2026-11', plan: 'x' },
  receivedAt: new Date('2026-11-20T10:00:00.000Z'),
  skippedReason: 'off',
  salt: null,
  importId: null,
  originalId: null,
};
const ISSUED = {
  receiptId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a21',
  issuedAt: new Date('2026-11-21T00:00:00.000Z'),
  retentionMonths: 12,
  proof: 'c2sp.org/tlog-proof@v1\n',
  controller: { name: 'Example Ltd', contact: 'privacy@example.com' },
};
const statesOf = (fields: Partial<ConsentRecorded>): string[] => {
  const { event, pii_processing: processing } = receiptOf({ ...RECORD, ...fields }, ISSUED);
  return [event.event_state, ...processing.purposes.map(({ state }) => state)];
};

describe(receiptOf.name, () => {
  it('has the sections of the standard, and nothing of where the record went', () => {
    expect(receiptOf(RECORD, ISSUED)).toEqual({
      receipt_metadata: {
        schema_version: '1',
        receipt_id: ISSUED.receiptId,
        issued_at: '2026-11-21T00:00:00.000Z',
      },
      record_header: { standard: 'ISO/IEC TS 27560:2023', record_id: RECORD.id, pii_principal_id: null },
      pii_processing: {
        privacy_notice: { configuration_sha256: 'a'.repeat(64), version: '2026-11' },
        language: 'de',
        purposes: [
          { purpose: 'analytics', lawful_basis: 'consent', state: 'consent_given' },
          { purpose: 'marketing', lawful_basis: 'consent', state: 'consent_refused' },
          { purpose: 'preferences', lawful_basis: 'consent', state: 'consent_refused' },
        ],
        collection_method: 'banner',
        retention_period: 'P12M',
        withdrawal_method: 'POST /v1/visitor/withdrawals',
        privacy_rights: ['access', 'erasure', 'withdrawal'],
        additional_fields: { policyVersion: '2026-11', plan: 'x' },
      },
      party_identification: [
        {
          party_id: RECORD.projectId,
          party_role: 'controller',
          party_name: 'Example Ltd',
          party_contact: 'privacy@example.com',
          party_url: 'https://www.example.com',
        },
      ],
      event: {
        event_time: '2026-11-20T10:00:00.000Z',
        event_type: 'custom',
        event_state: 'consent_given',
      },
      proof: 'c2sp.org/tlog-proof@v1\n',
    });
  });

  it('says null for a controller that the project does not name', () => {
    const { party_identification: parties } = receiptOf(RECORD, {
      ...ISSUED,
      controller: { name: null, contact: null },
    });
    expect(parties[0]).toMatchObject({ party_name: null, party_contact: null });
  });

  it('says null for what the banner did not tell', () => {
    const bare = { hostname: null, configHash: null, language: null, surface: null, extra: null };
    const receipt = receiptOf({ ...RECORD, ...bare }, ISSUED);
    expect(receipt.pii_processing).toMatchObject({
      privacy_notice: { configuration_sha256: null, version: null },
      language: null,
      collection_method: null,
      additional_fields: {},
    });
    expect(receipt.party_identification[0]?.party_url).toBeNull();
    const numbered = receiptOf({ ...RECORD, extra: { policyVersion: 7 } }, ISSUED);
    expect(numbered.pii_processing.privacy_notice.version).toBeNull();
  });

  it.each<[string, Partial<ConsentRecorded>, string[]]>([
    ['refused', { analytics: false, action: 'reject_all' }, Array<string>(4).fill('consent_refused')],
    ['withdrawn', { analytics: false, action: 'withdraw' }, Array<string>(4).fill('consent_withdrawn')],
  ])('says that it was %s', (_, fields, states) => {
    expect(statesOf(fields)).toEqual(states);
  });

  it.each([
    ['custom', 'consent'],
    ['dismiss', null],
    ['opt_out', null],
  ])('%s rests on %s', (action, basis) => {
    const { purposes } = receiptOf({ ...RECORD, action }, ISSUED).pii_processing;
    expect(purposes.map(({ lawful_basis }) => lawful_basis)).toEqual([basis, basis, basis]);
  });
});
