import { auditCommands } from '../modules/audit/application/audit-commands.js';
import { accountCommands } from '../modules/access/application/account-commands.js';
import { billingCommands, reviveEvents } from '../modules/billing/application/billing-commands.js';
import { BILLING_EVENT } from '../modules/billing/domain/billing-message.js';
import { erasureCommands } from '../modules/consent/application/erasure-commands.js';
import { evidenceCommands } from '../modules/evidence/application/evidence-commands.js';
import { secretCommands } from '../modules/forwarding/application/secret-commands.js';
import { mailCommands } from '../platform/mail/application/mail-commands.js';
import { databaseCommands } from './database-commands.js';
import { erasureListeners } from './erasure-listeners.js';
import { outboxCommands } from './outbox-commands.js';
import { demoCommands } from '../standalone/demo/demo-commands.js';
import { readProofs } from '../modules/scans/infrastructure/statement.rows.js';
import { siteCommands } from '../modules/publishing/application/site-commands.js';
import type { Command, StandaloneCommand } from '../platform/operations/operator-command.js';
import { migrateCommand } from './migrate-command.js';

/** Commands on the service's database, connected as the run-time role. */
export const DATABASE_COMMANDS: Command[] = [
  ...outboxCommands(new Map([[BILLING_EVENT, reviveEvents]])),
  ...siteCommands,
  ...billingCommands,
  ...secretCommands,
  ...mailCommands,
  ...auditCommands,
  ...erasureCommands(erasureListeners),
  ...evidenceCommands(readProofs),
  ...accountCommands,
  ...databaseCommands,
  ...demoCommands,
];

/** Commands that open their own connection. */
export const STANDALONE_COMMANDS: StandaloneCommand[] = [migrateCommand];
