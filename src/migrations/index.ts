import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261201000000_baseline } from './Migration20261201000000_baseline.js';
import { Migration20261202000000_outbox_partitions } from './Migration20261202000000_outbox_partitions.js';
import { Migration20261203000000_retry_failures } from './Migration20261203000000_retry_failures.js';
import { Migration20261204000000_asked_visitors } from './Migration20261204000000_asked_visitors.js';
import { Migration20261205000000_undelivered_mails } from './Migration20261205000000_undelivered_mails.js';
import { Migration20261206000000_response_bodies } from './Migration20261206000000_response_bodies.js';
import { Migration20261207000000_user_language } from './Migration20261207000000_user_language.js';
import { Migration20261208000000_scans } from './Migration20261208000000_scans.js';
import { Migration20261209000000_scan_states } from './Migration20261209000000_scan_states.js';
import { Migration20261210000000_scan_findings } from './Migration20261210000000_scan_findings.js';
import { Migration20261211000000_scan_schedule } from './Migration20261211000000_scan_schedule.js';
import { Migration20261212000000_first_party } from './Migration20261212000000_first_party.js';
import { Migration20261212000000_scan_artifacts } from './Migration20261212000000_scan_artifacts.js';
import { Migration20261213000000_scan_proofs } from './Migration20261213000000_scan_proofs.js';
import { Migration20261214000000_scan_choices } from './Migration20261214000000_scan_choices.js';
import { Migration20261215000000_scan_robots } from './Migration20261215000000_scan_robots.js';
import { Migration20261216000000_scan_hosts } from './Migration20261216000000_scan_hosts.js';
import { Migration20261217000000_scan_alerts } from './Migration20261217000000_scan_alerts.js';
import { Migration20261218000000_scanner_role } from './Migration20261218000000_scanner_role.js';
import { Migration20261219000000_custom_domains } from './Migration20261219000000_custom_domains.js';
import { Migration20261220000000_scan_verified_hosts } from './Migration20261220000000_scan_verified_hosts.js';

/** Every migration, in order. Listed by hand, so that the compiled and the TypeScript program agree on names. */
export const migrations: MigrationObject[] = [
  { name: 'Migration20261201000000_baseline', class: Migration20261201000000_baseline },
  { name: 'Migration20261202000000_outbox_partitions', class: Migration20261202000000_outbox_partitions },
  { name: 'Migration20261203000000_retry_failures', class: Migration20261203000000_retry_failures },
  { name: 'Migration20261204000000_asked_visitors', class: Migration20261204000000_asked_visitors },
  { name: 'Migration20261205000000_undelivered_mails', class: Migration20261205000000_undelivered_mails },
  { name: 'Migration20261206000000_response_bodies', class: Migration20261206000000_response_bodies },
  { name: 'Migration20261207000000_user_language', class: Migration20261207000000_user_language },
  { name: 'Migration20261208000000_scans', class: Migration20261208000000_scans },
  { name: 'Migration20261209000000_scan_states', class: Migration20261209000000_scan_states },
  { name: 'Migration20261210000000_scan_findings', class: Migration20261210000000_scan_findings },
  { name: 'Migration20261211000000_scan_schedule', class: Migration20261211000000_scan_schedule },
  { name: 'Migration20261212000000_first_party', class: Migration20261212000000_first_party },
  { name: 'Migration20261212000000_scan_artifacts', class: Migration20261212000000_scan_artifacts },
  { name: 'Migration20261213000000_scan_proofs', class: Migration20261213000000_scan_proofs },
  { name: 'Migration20261214000000_scan_choices', class: Migration20261214000000_scan_choices },
  { name: 'Migration20261215000000_scan_robots', class: Migration20261215000000_scan_robots },
  { name: 'Migration20261216000000_scan_hosts', class: Migration20261216000000_scan_hosts },
  { name: 'Migration20261217000000_scan_alerts', class: Migration20261217000000_scan_alerts },
  { name: 'Migration20261218000000_scanner_role', class: Migration20261218000000_scanner_role },
  { name: 'Migration20261219000000_custom_domains', class: Migration20261219000000_custom_domains },
  {
    name: 'Migration20261220000000_scan_verified_hosts',
    class: Migration20261220000000_scan_verified_hosts,
  },
];
