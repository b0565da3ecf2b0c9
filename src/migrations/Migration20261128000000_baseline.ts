import { Migration } from '@mikro-orm/migrations';
import { access } from './baseline/access.js';
import { audit } from './baseline/audit.js';
import { billing } from './baseline/billing.js';
import { consent } from './baseline/consent.js';
import { domains } from './baseline/domains.js';
import { evidence } from './baseline/evidence.js';
import { forwarding } from './baseline/forwarding.js';
import { licensing } from './baseline/licensing.js';
import { outbox } from './baseline/outbox.js';
import { partitionFunctions } from './baseline/partition-functions.js';
import { projects } from './baseline/projects.js';
import { publishing } from './baseline/publishing.js';
import { scans } from './baseline/scans.js';
import { visits } from './baseline/visits.js';

/**
 * The schema of the first release, one file per module. Later migrations expand and contract (CONTRIBUTING.md). Months
 * and days of partitioned tables are created while the service runs, except those of the audit.
 */
export class Migration20261128000000_baseline extends Migration {
  override async up(): Promise<void> {
    const [row] = (await this.execute('select quote_ident(current_schema()) as name')) as { name: string }[];
    // A fixed path: functions that run with the owner's rights must not find objects of their caller.
    const security = `language plpgsql security definer set search_path = ${row?.name ?? 'public'}, pg_temp`;
    const modules = [
      partitionFunctions(security),
      projects,
      consent,
      outbox(security),
      access,
      audit,
      licensing,
      billing,
      forwarding,
      publishing,
      visits,
      evidence,
      domains,
      scans(security),
    ];
    for (const statement of modules.flat()) this.addSql(statement);
  }
}
