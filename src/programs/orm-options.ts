import { EntitySchema } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { migrations } from '../migrations/index.js';
import * as accountLink from '../modules/access/infrastructure/account-link.entity.js';
import * as apiKey from '../modules/access/infrastructure/api-key.entity.js';
import * as personalToken from '../modules/access/infrastructure/personal-token.entities.js';
import * as projectInvitation from '../modules/access/infrastructure/project-invitation.entity.js';
import * as projectMember from '../modules/access/infrastructure/project-member.entity.js';
import * as secondFactor from '../modules/access/infrastructure/second-factor.entities.js';
import * as signIn from '../modules/access/infrastructure/sign-in.entities.js';
import * as audit from '../modules/audit/infrastructure/audit.entities.js';
import * as billing from '../modules/billing/infrastructure/billing.entities.js';
import * as consent from '../modules/consent/infrastructure/consent.entities.js';
import * as domain from '../modules/domains/infrastructure/domain.entities.js';
import * as events from '../modules/events/infrastructure/event.entities.js';
import * as evidence from '../modules/evidence/infrastructure/evidence.entities.js';
import * as forwarding from '../modules/forwarding/infrastructure/forwarding.entities.js';
import * as imports from '../modules/imports/infrastructure/import.entities.js';
import * as subscription from '../modules/licensing/infrastructure/subscription.entity.js';
import * as tierChange from '../modules/licensing/infrastructure/tier-change.entity.js';
import * as organization from '../modules/organizations/infrastructure/organization.entities.js';
import * as project from '../modules/projects/infrastructure/project.entity.js';
import * as publishing from '../modules/publishing/infrastructure/publishing.entities.js';
import * as finding from '../modules/scans/infrastructure/finding.entities.js';
import * as scan from '../modules/scans/infrastructure/scan.entities.js';
import * as visit from '../modules/visits/infrastructure/visit.entities.js';
import { connectionConfig, type ConnectionConfig } from '../platform/database/connection-config.js';
import { QUEUE_SCHEMA } from '../platform/database/queue.js';
import { SchemaComparison } from '../platform/database/schema-comparison.js';
import * as outbox from '../platform/outbox/infrastructure/outbox.entities.js';

/** Every file of entities. */
const FILES: object[] = [
  accountLink,
  apiKey,
  personalToken,
  projectInvitation,
  projectMember,
  secondFactor,
  signIn,
  audit,
  billing,
  consent,
  domain,
  events,
  evidence,
  forwarding,
  imports,
  subscription,
  tierChange,
  organization,
  project,
  publishing,
  finding,
  scan,
  visit,
  outbox,
];

/**
 * Every table of the service: `npx mikro-orm migration:check` compares these with the database
 * (ADR 0020). ADR 0022 explains the choice between entities, typed queries and SQL.
 */
export const entities = FILES.flatMap((file) => Object.values(file) as unknown[]).filter(
  (exported) => exported instanceof EntitySchema,
);

/** The ORM configuration of the application and the command line. */
export function ormOptions(databaseUrl: string, connection: ConnectionConfig = {}): Options {
  return defineConfig({
    ...connectionConfig(databaseUrl, connection),
    entities,
    extensions: [Migrator, SchemaComparison],
    migrations: {
      migrationsList: migrations,
      snapshot: false,
      tableName: 'schema_migration',
      silent: true,
      // One transaction per migration: a lock is held no longer than its change needs.
      allOrNothing: false,
    },
    // Used only to compare schemas (schema-comparison.ts). The ORM already ignores partitions, sequences and its own
    // table of migrations. Views belong to extensions such as pg_stat_statements: the service has none.
    schemaGenerator: {
      ignoreSchema: [QUEUE_SCHEMA],
      skipViews: [/./],
      ignoreRoutines: true,
      ignoreTriggers: true,
    },
  });
}
