import { ApiKeySchema } from '../access/api-key.entity.js';
import { ProjectMemberSchema } from '../access/project-member.entity.js';
import {
  AppUserSchema,
  SignInAttemptSchema,
  UserAccountSchema,
  UserNetworkSchema,
  UserSessionSchema,
  UserVerificationSchema,
} from '../access/sign-in.entities.js';
import {
  BillingCheckoutSchema,
  BillingCustomerSchema,
  BillingEventSchema,
  BillingGrantLogSchema,
  BillingPriceSchema,
} from '../billing/billing.entities.js';
import {
  ConsentRecordSchema,
  ConsentRollupDaySchema,
  ConsentRollupHourSchema,
  ConsentRollupStateSchema,
} from '../consent/consent.entities.js';
import { DeliverySchema, ForwardingSettingsSchema } from '../forwarding/forwarding.entities.js';
import { SubscriptionSchema } from '../licensing/subscription.entity.js';
import { TierChangeSchema } from '../licensing/tier-change.entity.js';
import { OutboxDeadLetterSchema, OutboxMessageSchema } from '../outbox/outbox.entities.js';
import { ProjectSchema } from '../projects/project.entity.js';
import { PublicationSchema, SiteConfigurationSchema } from '../publishing/publishing.entities.js';

/**
 * Every table of the service, by module: `npx mikro-orm migration:check` compares these with the database (ADR 0020).
 * The service reads and writes through four of them, Project, ProjectMember, ApiKey and Subscription; the others it
 * reaches by SQL, in batches and with locks that an ORM does not write.
 */
export const entities = [
  ProjectSchema,
  // access
  ProjectMemberSchema,
  ApiKeySchema,
  AppUserSchema,
  UserSessionSchema,
  UserAccountSchema,
  UserVerificationSchema,
  UserNetworkSchema,
  SignInAttemptSchema,
  // licensing
  SubscriptionSchema,
  TierChangeSchema,
  // consent, outbox, forwarding
  ConsentRecordSchema,
  ConsentRollupHourSchema,
  ConsentRollupDaySchema,
  ConsentRollupStateSchema,
  OutboxMessageSchema,
  OutboxDeadLetterSchema,
  ForwardingSettingsSchema,
  DeliverySchema,
  // billing
  BillingEventSchema,
  BillingPriceSchema,
  BillingCustomerSchema,
  BillingCheckoutSchema,
  BillingGrantLogSchema,
  // publishing
  SiteConfigurationSchema,
  PublicationSchema,
];
