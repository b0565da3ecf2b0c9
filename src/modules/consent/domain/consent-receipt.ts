import type { DataController } from '../../projects/domain/project.js';
import type { ConsentRecorded } from './consent-recorded.js';

const CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;

/** Actions that don't answer a request for consent, so the processing isn't based on consent. */
const WITHOUT_CONSENT = ['dismiss', 'opt_out'];

/** Version of this receipt format; members are only added. */
const RECEIPT_SCHEMA_VERSION = '1';

/** The state of a visitor's choice in a receipt, in the terms of ISO/IEC TS 27560. */
type ReceiptState = 'consent_given' | 'consent_refused' | 'consent_withdrawn';

/**
 * A record in the form that its visitor keeps: the sections of ISO/IEC TS 27560:2023 (receipt
 * metadata, record header, PII processing, party identification, event). Required members that the
 * service doesn't have are null. The members have the standard's names, so they are not in camel
 * case. `proof` is our addition: a `.tlog-proof` (docs/evidence.md), null unless the record is
 * sealed.
 */
export interface ConsentReceiptDocument {
  receipt_metadata: { schema_version: string; receipt_id: string; issued_at: string };
  record_header: { standard: string; record_id: string; pii_principal_id: null };
  pii_processing: {
    privacy_notice: { configuration_sha256: string | null; version: string | null };
    language: string | null;
    purposes: { purpose: string; lawful_basis: 'consent' | null; state: ReceiptState }[];
    /** Our addition: the services that the visitor chose one by one, by their ids. */
    services?: { service: string; state: ReceiptState }[];
    collection_method: string | null;
    retention_period: string;
    withdrawal_method: string;
    privacy_rights: string[];
    additional_fields: Record<string, unknown>;
  };
  party_identification: {
    party_id: string;
    party_role: 'controller';
    party_name: string | null;
    party_contact: string | null;
    party_url: string | null;
  }[];
  event: { event_time: string; event_type: string; event_state: ReceiptState };
  proof: string | null;
}

/** Facts for a receipt that the record doesn't contain. */
export interface ReceiptFacts {
  receiptId: string;
  issuedAt: Date;
  retentionMonths: number;
  proof: string | null;
  /** The project's controller when the receipt is issued. */
  controller: DataController;
}

/**
 * Creates the receipt of a record. Each receipt has its own `receiptId`, because it can be
 * requested again.
 */
export function receiptOf(record: ConsentRecorded, receipt: ReceiptFacts): ConsentReceiptDocument {
  const { id, projectId, hostname, action, surface, language, configHash, extra, receivedAt } = record;
  const services = Object.entries(record.services ?? {});
  const { receiptId, issuedAt, retentionMonths, proof, controller } = receipt;
  const { policyVersion } = extra ?? {};
  const basis = WITHOUT_CONSENT.includes(action) ? null : 'consent';
  return {
    receipt_metadata: {
      schema_version: RECEIPT_SCHEMA_VERSION,
      receipt_id: receiptId,
      issued_at: issuedAt.toISOString(),
    },
    record_header: { standard: 'ISO/IEC TS 27560:2023', record_id: id, pii_principal_id: null },
    pii_processing: {
      privacy_notice: {
        configuration_sha256: configHash,
        version: typeof policyVersion === 'string' ? policyVersion : null,
      },
      language,
      purposes: CATEGORIES.map((purpose) => ({
        purpose,
        lawful_basis: basis,
        state: stateOf(action, record[purpose]),
      })),
      ...(services.length > 0 && {
        services: services.map(([service, isAccepted]) => ({ service, state: stateOf(action, isAccepted) })),
      }),
      collection_method: surface,
      retention_period: `P${retentionMonths}M`,
      withdrawal_method: 'POST /v1/visitor/withdrawals',
      privacy_rights: ['access', 'erasure', 'withdrawal'],
      additional_fields: extra ?? {},
    },
    party_identification: [
      {
        party_id: projectId,
        party_role: 'controller',
        party_name: controller.name,
        party_contact: controller.contact,
        party_url: hostname === null ? null : `https://${hostname}`,
      },
    ],
    event: {
      event_time: receivedAt.toISOString(),
      event_type: action,
      event_state: stateOf(
        action,
        CATEGORIES.some((category) => record[category]) || services.some(([, isAccepted]) => isAccepted),
      ),
    },
    proof,
  };
}

function stateOf(action: string, granted: boolean): ReceiptState {
  if (action === 'withdraw') return 'consent_withdrawn';
  return granted ? 'consent_given' : 'consent_refused';
}
