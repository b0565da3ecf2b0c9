import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261123003001_stored_xid } from './Migration20261123003001_stored_xid.js';
import { Migration20261123003003_log_epochs } from './Migration20261123003003_log_epochs.js';
import { Migration20261123003002_stored_xid_index } from './Migration20261123003002_stored_xid_index.js';
import { Migration20261120000100_core } from './Migration20261120000100_core.js';
import { Migration20261120000200_access } from './Migration20261120000200_access.js';
import { Migration20261120000300_sign_in } from './Migration20261120000300_sign_in.js';
import { Migration20261120000400_licensing } from './Migration20261120000400_licensing.js';
import { Migration20261120000500_forwarding } from './Migration20261120000500_forwarding.js';
import { Migration20261120000600_billing } from './Migration20261120000600_billing.js';
import { Migration20261120000700_analytics } from './Migration20261120000700_analytics.js';
import { Migration20261120000800_publishing } from './Migration20261120000800_publishing.js';
import { Migration20261121000201_user_network } from './Migration20261121000201_user_network.js';
import { Migration20261121000202_key_maker } from './Migration20261121000202_key_maker.js';
import { Migration20261121000400_forwarding_bounds } from './Migration20261121000400_forwarding_bounds.js';
import { Migration20261121000301_partition_functions } from './Migration20261121000301_partition_functions.js';
import { Migration20261121000203_billing } from './Migration20261121000203_billing.js';
import { Migration20261121001004_billing_messages } from './Migration20261121001004_billing_messages.js';
import { Migration20261121010500_shown } from './Migration20261121010500_shown.js';
import { Migration20261121003000_signing_secret } from './Migration20261121003000_signing_secret.js';
import { Migration20261121001001_ordering_key } from './Migration20261121001001_ordering_key.js';
import { Migration20261121001002_ordering_key_filled } from './Migration20261121001002_ordering_key_filled.js';
import { Migration20261121001003_ordering_key_primary } from './Migration20261121001003_ordering_key_primary.js';
import { Migration20261121005502_erasure } from './Migration20261121005502_erasure.js';
import { Migration20261121005503_visitor_index } from './Migration20261121005503_visitor_index.js';
import { Migration20261121005501_key_limits } from './Migration20261121005501_key_limits.js';
import { Migration20261121004500_outbox_awake } from './Migration20261121004500_outbox_awake.js';
import { Migration20261121005500_audit } from './Migration20261121005500_audit.js';
import { Migration20261121005000_account_link } from './Migration20261121005000_account_link.js';
import { Migration20261121004000_hold } from './Migration20261121004000_hold.js';
import { Migration20261121004001_messages_beside_gates } from './Migration20261121004001_messages_beside_gates.js';
import { Migration20261121005001_invitations } from './Migration20261121005001_invitations.js';
import { Migration20261121011500_drafts } from './Migration20261121011500_drafts.js';
import { Migration20261121012000_site_visit } from './Migration20261121012000_site_visit.js';
import { Migration20261121005002_second_factor } from './Migration20261121005002_second_factor.js';
import { Migration20261121011000_own_account } from './Migration20261121011000_own_account.js';
import { Migration20261121012500_visitor_indexing } from './Migration20261121012500_visitor_indexing.js';
import { Migration20261121013800_visitor_key } from './Migration20261121013800_visitor_key.js';
import { Migration20261121013900_visitor_key_index } from './Migration20261121013900_visitor_key_index.js';
import { Migration20261121013000_evidence } from './Migration20261121013000_evidence.js';
import { Migration20261121015000_evidence_stamp } from './Migration20261121015000_evidence_stamp.js';
import { Migration20261121016000_consent_audience } from './Migration20261121016000_consent_audience.js';
import { Migration20261123001001_former_secret } from './Migration20261123001001_former_secret.js';
import { Migration20261123007001_superseded_deliveries } from './Migration20261123007001_superseded_deliveries.js';
import { Migration20261123007002_visitor_erasure_hour } from './Migration20261123007002_visitor_erasure_hour.js';
import { Migration20261123004001_controller } from './Migration20261123004001_controller.js';
import { Migration20261123012001_log_checks } from './Migration20261123012001_log_checks.js';
import { Migration20261123001002_ownership_offer } from './Migration20261123001002_ownership_offer.js';
import { Migration20261123010001_circuit_phases } from './Migration20261123010001_circuit_phases.js';
import { Migration20261123010002_outbox_names } from './Migration20261123010002_outbox_names.js';

/** Every migration, in order. Listed by hand, so that the compiled and the TypeScript program agree on names. */
export const migrations: MigrationObject[] = [
  { name: 'Migration20261120000100_core', class: Migration20261120000100_core },
  { name: 'Migration20261120000200_access', class: Migration20261120000200_access },
  { name: 'Migration20261120000300_sign_in', class: Migration20261120000300_sign_in },
  { name: 'Migration20261121000301_partition_functions', class: Migration20261121000301_partition_functions },
  { name: 'Migration20261120000400_licensing', class: Migration20261120000400_licensing },
  { name: 'Migration20261120000500_forwarding', class: Migration20261120000500_forwarding },
  { name: 'Migration20261120000600_billing', class: Migration20261120000600_billing },
  { name: 'Migration20261120000700_analytics', class: Migration20261120000700_analytics },
  { name: 'Migration20261120000800_publishing', class: Migration20261120000800_publishing },
  { name: 'Migration20261121000201_user_network', class: Migration20261121000201_user_network },
  { name: 'Migration20261121000202_key_maker', class: Migration20261121000202_key_maker },
  { name: 'Migration20261121000400_forwarding_bounds', class: Migration20261121000400_forwarding_bounds },
  { name: 'Migration20261121000203_billing', class: Migration20261121000203_billing },
  { name: 'Migration20261121003000_signing_secret', class: Migration20261121003000_signing_secret },
  { name: 'Migration20261121001001_ordering_key', class: Migration20261121001001_ordering_key },
  { name: 'Migration20261121001002_ordering_key_filled', class: Migration20261121001002_ordering_key_filled },
  {
    name: 'Migration20261121001003_ordering_key_primary',
    class: Migration20261121001003_ordering_key_primary,
  },
  { name: 'Migration20261121001004_billing_messages', class: Migration20261121001004_billing_messages },
  { name: 'Migration20261121010500_shown', class: Migration20261121010500_shown },
  { name: 'Migration20261121004500_outbox_awake', class: Migration20261121004500_outbox_awake },
  { name: 'Migration20261121005500_audit', class: Migration20261121005500_audit },
  { name: 'Migration20261121005501_key_limits', class: Migration20261121005501_key_limits },
  { name: 'Migration20261121005000_account_link', class: Migration20261121005000_account_link },
  { name: 'Migration20261121004000_hold', class: Migration20261121004000_hold },
  {
    name: 'Migration20261121004001_messages_beside_gates',
    class: Migration20261121004001_messages_beside_gates,
  },
  { name: 'Migration20261121005001_invitations', class: Migration20261121005001_invitations },
  { name: 'Migration20261121005502_erasure', class: Migration20261121005502_erasure },
  { name: 'Migration20261121005503_visitor_index', class: Migration20261121005503_visitor_index },
  { name: 'Migration20261121005002_second_factor', class: Migration20261121005002_second_factor },
  { name: 'Migration20261121011500_drafts', class: Migration20261121011500_drafts },
  { name: 'Migration20261121011000_own_account', class: Migration20261121011000_own_account },
  { name: 'Migration20261121012000_site_visit', class: Migration20261121012000_site_visit },
  { name: 'Migration20261121012500_visitor_indexing', class: Migration20261121012500_visitor_indexing },
  { name: 'Migration20261121013800_visitor_key', class: Migration20261121013800_visitor_key },
  { name: 'Migration20261121013900_visitor_key_index', class: Migration20261121013900_visitor_key_index },
  { name: 'Migration20261121013000_evidence', class: Migration20261121013000_evidence },
  { name: 'Migration20261121015000_evidence_stamp', class: Migration20261121015000_evidence_stamp },
  { name: 'Migration20261121016000_consent_audience', class: Migration20261121016000_consent_audience },
  { name: 'Migration20261123001001_former_secret', class: Migration20261123001001_former_secret },
  {
    name: 'Migration20261123007001_superseded_deliveries',
    class: Migration20261123007001_superseded_deliveries,
  },
  { name: 'Migration20261123003001_stored_xid', class: Migration20261123003001_stored_xid },
  { name: 'Migration20261123003002_stored_xid_index', class: Migration20261123003002_stored_xid_index },
  { name: 'Migration20261123004001_controller', class: Migration20261123004001_controller },
  {
    name: 'Migration20261123007002_visitor_erasure_hour',
    class: Migration20261123007002_visitor_erasure_hour,
  },
  { name: 'Migration20261123001002_ownership_offer', class: Migration20261123001002_ownership_offer },
  { name: 'Migration20261123003003_log_epochs', class: Migration20261123003003_log_epochs },
  { name: 'Migration20261123010001_circuit_phases', class: Migration20261123010001_circuit_phases },
  { name: 'Migration20261123010002_outbox_names', class: Migration20261123010002_outbox_names },
  { name: 'Migration20261123012001_log_checks', class: Migration20261123012001_log_checks },
];
