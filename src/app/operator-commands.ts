import { auditCommands } from '../audit/application/audit-commands.js';
import { accountCommands } from '../access/application/account-commands.js';
import { billingCommands, reviveEvents } from '../billing/application/billing-commands.js';
import { BILLING_EVENT } from '../billing/domain/billing-message.js';
import { erasureCommands } from '../consent/application/erasure-commands.js';
import { evidenceCommands } from '../evidence/application/evidence-commands.js';
import { secretCommands } from '../forwarding/application/secret-commands.js';
import { mailCommands } from '../mail/application/mail-commands.js';
import { databaseCommands } from './database-commands.js';
import { erasureListeners } from './erasure-listeners.js';
import { outboxCommands } from '../outbox/application/outbox-commands.js';
import { demoCommands } from '../standalone/application/demo-commands.js';
import { readProofs } from '../scans/infrastructure/statement.rows.js';
import { siteCommands } from '../publishing/application/site-commands.js';
import type { Command, StandaloneCommand } from '../shared/operator-command.js';
import { migrateCommand } from './migrate-command.js';

/** What works on the database of the service, connected as the role that serves. */
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
