import { AccountLinkSchema } from '../access/infrastructure/account-link.entity.js';
import { ApiKeySchema } from '../access/infrastructure/api-key.entity.js';
import { ProjectInvitationSchema } from '../access/infrastructure/project-invitation.entity.js';
import { ProjectMemberSchema } from '../access/infrastructure/project-member.entity.js';
import {
  ProjectSignInPolicySchema,
  UserSecondFactorSchema,
} from '../access/infrastructure/second-factor.entities.js';
import {
  AppUserSchema,
  SignInAttemptSchema,
  UserAccountSchema,
  UserNetworkSchema,
  UserSessionSchema,
  UserVerificationSchema,
} from '../access/infrastructure/sign-in.entities.js';
import { AuditEventSchema, SecurityEventSchema } from '../audit/infrastructure/audit.entities.js';
import {
  BillingCheckoutSchema,
  BillingCustomerSchema,
  BillingEventSchema,
  BillingGrantLogSchema,
  BillingPriceSchema,
} from '../billing/infrastructure/billing.entities.js';
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
} from '../consent/infrastructure/consent.entities.js';
import { CustomDomainAttemptsSchema, CustomDomainSchema } from '../domains/infrastructure/domain.entities.js';
import {
  EvidenceKeySchema,
  EvidenceEntrySchema,
  EvidenceLeafSchema,
  EvidenceLogSchema,
  EvidenceBackfillSchema,
  SequencerCursorSchema,
  EvidencePastLogSchema,
  EvidenceRootEntrySchema,
  EvidenceTimestampSchema,
  EvidenceTileSchema,
} from '../evidence/infrastructure/evidence.entities.js';
import { FirstPartyProxySchema } from '../first-party/infrastructure/first-party.entities.js';
import {
  DeliverySchema,
  DeliveryRetrySchema,
  ForwardingHoldSchema,
  ForwardingLastFailureSchema,
  ForwardingSettingsSchema,
} from '../forwarding/infrastructure/forwarding.entities.js';
import { SubscriptionSchema } from '../licensing/infrastructure/subscription.entity.js';
import { TierChangeSchema } from '../licensing/infrastructure/tier-change.entity.js';
import {
  WorkerPollingSchema,
  OutboxDeadLetterSchema,
  ClaimThrottleSchema,
  OutboxMessageSchema,
} from '../outbox/infrastructure/outbox.entities.js';
import { ProjectSchema } from '../projects/infrastructure/project.entity.js';
import {
  ConfigurationDraftSchema,
  PublicationSchema,
  SiteConfigurationSchema,
} from '../publishing/infrastructure/publishing.entities.js';
import {
  CookieDecisionSchema,
  ScanFindingSchema,
  ScanFindingSeenSchema,
  SiteItemSchema,
} from '../scans/infrastructure/finding.entities.js';
import {
  ScanAlertChoiceSchema,
  ScanArtifactSchema,
  ScanItemSchema,
  ScanHostScanSchema,
  ScanHostSchema,
  ScannerSchema,
  ScanPageSchema,
  ScanProofSchema,
  ScanScheduleSchema,
  ScanSchema,
  ScanStateSchema,
} from '../scans/infrastructure/scan.entities.js';
import { SiteVisitSchema } from '../visits/infrastructure/visit.entities.js';

/**
 * Every table of the service, by module: `npx mikro-orm migration:check` compares these with the database (ADR 0020).
 * What is read and written through them, by typed queries, and by SQL: ADR 0022.
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
  ScanHostSchema,
  ScanAlertChoiceSchema,
  ScannerSchema,
  SiteItemSchema,
  CookieDecisionSchema,
  ScanFindingSchema,
  ScanFindingSeenSchema,
];
