import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { migrations } from '../migrations/index.js';
import { AccountLinkSchema } from '../modules/access/infrastructure/account-link.entity.js';
import { ApiKeySchema } from '../modules/access/infrastructure/api-key.entity.js';
import { ProjectInvitationSchema } from '../modules/access/infrastructure/project-invitation.entity.js';
import { ProjectMemberSchema } from '../modules/access/infrastructure/project-member.entity.js';
import {
  ProjectSignInPolicySchema,
  UserSecondFactorSchema,
} from '../modules/access/infrastructure/second-factor.entities.js';
import {
  AppUserSchema,
  SignInAttemptSchema,
  UserAccountSchema,
  UserNetworkSchema,
  UserSessionSchema,
  UserVerificationSchema,
} from '../modules/access/infrastructure/sign-in.entities.js';
import { AuditEventSchema, SecurityEventSchema } from '../modules/audit/infrastructure/audit.entities.js';
import {
  BillingCheckoutSchema,
  BillingCustomerSchema,
  BillingEventSchema,
  BillingGrantLogSchema,
  BillingPriceSchema,
} from '../modules/billing/infrastructure/billing.entities.js';
import {
  ConsentRecordSchema,
  ConsentRollupAudienceSchema,
  ConsentRollupDaySchema,
  ConsentRollupHourSchema,
  ConsentRollupStateSchema,
  ErasedRecordSchema,
  ErasureRequestSchema,
  VisitorErasureHourSchema,
  VisitorIndexingSchema,
  VisitorReferenceSchema,
} from '../modules/consent/infrastructure/consent.entities.js';
import {
  CustomDomainAttemptsSchema,
  CustomDomainSchema,
  FirstPartyProxySchema,
} from '../modules/domains/infrastructure/domain.entities.js';
import {
  EvidenceBackfillSchema,
  EvidenceEntrySchema,
  EvidenceKeySchema,
  EvidenceLeafSchema,
  EvidenceLogSchema,
  EvidencePastLogSchema,
  EvidenceRootEntrySchema,
  EvidenceTileSchema,
  EvidenceTimestampSchema,
  SequencerCursorSchema,
} from '../modules/evidence/infrastructure/evidence.entities.js';
import {
  DeliveryRetrySchema,
  DeliverySchema,
  ForwardingHoldSchema,
  ForwardingLastFailureSchema,
  ForwardingSettingsSchema,
} from '../modules/forwarding/infrastructure/forwarding.entities.js';
import { SubscriptionSchema } from '../modules/licensing/infrastructure/subscription.entity.js';
import { TierChangeSchema } from '../modules/licensing/infrastructure/tier-change.entity.js';
import { ProjectSchema } from '../modules/projects/infrastructure/project.entity.js';
import {
  ConfigurationDraftSchema,
  PublicationSchema,
  SiteConfigurationSchema,
} from '../modules/publishing/infrastructure/publishing.entities.js';
import {
  CookieDecisionSchema,
  ScanFindingSchema,
  ScanFindingSeenSchema,
  SiteItemSchema,
} from '../modules/scans/infrastructure/finding.entities.js';
import {
  ScanAccountHourSchema,
  ScanAlertChoiceSchema,
  ScanArtifactSchema,
  ScanHostScanSchema,
  ScanHostSchema,
  ScanItemSchema,
  ScannerSchema,
  ScanPageSchema,
  ScanProofSchema,
  ScanScheduleSchema,
  ScanSchema,
  ScanStateSchema,
} from '../modules/scans/infrastructure/scan.entities.js';
import { SiteVisitSchema } from '../modules/visits/infrastructure/visit.entities.js';
import { connectionConfig, type ConnectionConfig } from '../platform/database/connection-config.js';
import { QUEUE_SCHEMA } from '../platform/database/queue.js';
import { SchemaComparison } from '../platform/database/schema-comparison.js';
import {
  ClaimThrottleSchema,
  OutboxDeadLetterSchema,
  OutboxMessageSchema,
  OutboxOpeningSchema,
  WorkerPollingSchema,
} from '../platform/outbox/infrastructure/outbox.entities.js';

/**
 * Every table of the service, by module: `npx mikro-orm migration:check` compares these with the
 * database (ADR 0020). ADR 0022 explains the choice between entities, typed queries and SQL.
 */
export const entities = [
  ProjectSchema,
  // access
  ProjectMemberSchema,
  ProjectInvitationSchema,
  ApiKeySchema,
  AppUserSchema,
  UserSessionSchema,
  UserAccountSchema,
  UserVerificationSchema,
  AccountLinkSchema,
  UserSecondFactorSchema,
  ProjectSignInPolicySchema,
  UserNetworkSchema,
  SignInAttemptSchema,
  // audit
  AuditEventSchema,
  SecurityEventSchema,
  // licensing
  SubscriptionSchema,
  TierChangeSchema,
  // consent, evidence, visits, outbox, forwarding
  ConsentRecordSchema,
  ConsentRollupHourSchema,
  ConsentRollupDaySchema,
  ConsentRollupAudienceSchema,
  ConsentRollupStateSchema,
  ErasureRequestSchema,
  VisitorErasureHourSchema,
  VisitorReferenceSchema,
  VisitorIndexingSchema,
  ErasedRecordSchema,
  EvidenceBackfillSchema,
  SequencerCursorSchema,
  EvidencePastLogSchema,
  EvidenceLogSchema,
  EvidenceTileSchema,
  EvidenceEntrySchema,
  EvidenceLeafSchema,
  EvidenceRootEntrySchema,
  EvidenceTimestampSchema,
  EvidenceKeySchema,
  SiteVisitSchema,
  OutboxMessageSchema,
  OutboxOpeningSchema,
  OutboxDeadLetterSchema,
  WorkerPollingSchema,
  ClaimThrottleSchema,
  ForwardingSettingsSchema,
  ForwardingLastFailureSchema,
  ForwardingHoldSchema,
  DeliverySchema,
  DeliveryRetrySchema,
  // billing
  BillingEventSchema,
  BillingPriceSchema,
  BillingCustomerSchema,
  BillingCheckoutSchema,
  BillingGrantLogSchema,
  // publishing
  SiteConfigurationSchema,
  ConfigurationDraftSchema,
  PublicationSchema,
  // first party
  FirstPartyProxySchema,
  // custom domains
  CustomDomainSchema,
  CustomDomainAttemptsSchema,
  // scans
  ScanSchema,
  ScanPageSchema,
  ScanItemSchema,
  ScanStateSchema,
  ScanArtifactSchema,
  ScanProofSchema,
  ScanScheduleSchema,
  ScanHostScanSchema,
  ScanAccountHourSchema,
  ScanHostSchema,
  ScanAlertChoiceSchema,
  ScannerSchema,
  SiteItemSchema,
  CookieDecisionSchema,
  ScanFindingSchema,
  ScanFindingSeenSchema,
];

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
