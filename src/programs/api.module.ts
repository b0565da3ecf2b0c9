import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from '../modules/access/access.guard.js';
import { AccessModule } from '../modules/access/access.module.js';
import { AccountController } from '../modules/access/http/account.controller.js';
import { ApiKeyController } from '../modules/access/http/api-key.controller.js';
import { AuthController } from '../modules/access/http/auth.controller.js';
import {
  InvitationController,
  OwnInvitationController,
} from '../modules/access/http/invitation.controller.js';
import { DeviceController, DeviceDecisionController } from '../modules/access/http/device.controller.js';
import { MeController, SessionController } from '../modules/access/http/me.controller.js';
import { PersonalTokenController } from '../modules/access/http/personal-token.controller.js';
import { MemberController, OwnershipController } from '../modules/access/http/member.controller.js';
import {
  SecondFactorController,
  SignInPolicyController,
} from '../modules/access/http/second-factor.controller.js';
import { AuditModule } from '../modules/audit/audit.module.js';
import {
  AuditAnswers,
  AuditController,
  SecurityLogController,
} from '../modules/audit/http/audit.controller.js';
import { BillingModule } from '../modules/billing/billing.module.js';
import { BillingController } from '../modules/billing/http/billing.controller.js';
import { WebhookController } from '../modules/billing/http/webhook.controller.js';
import { ConsentModule } from '../modules/consent/consent.module.js';
import { AnalyticsController } from '../modules/consent/http/analytics.controller.js';
import { ConsentController } from '../modules/consent/http/consent.controller.js';
import { ExportController } from '../modules/consent/http/export.controller.js';
import { IngestEndpoint, IngestMetrics, IngestRateLimiter } from '../modules/consent/http/ingest.endpoint.js';
import { PrivacyController } from '../modules/consent/http/privacy.controller.js';
import {
  VisitorEndpoint,
  VisitorMetrics,
  VisitorRateLimiter,
} from '../modules/consent/http/visitor.endpoint.js';
import { VisitorController } from '../modules/consent/http/visitor.controller.js';
import { DomainsModule } from '../modules/domains/domains.module.js';
import { AskMetrics, AskServer } from '../modules/domains/http/ask-server.js';
import { DomainController } from '../modules/domains/http/domain.controller.js';
import { HostEntrance } from '../modules/domains/http/host-entrance.js';
import { ProxyEntrance } from '../modules/domains/http/proxy-entrance.js';
import { ProxyController } from '../modules/domains/http/proxy.controller.js';
import { EventController, EventTypeController } from '../modules/events/http/event.controller.js';
import { EventEndpointController } from '../modules/events/http/event-endpoint.controller.js';
import { EventsModule } from '../modules/events/events.module.js';
import { ImportController } from '../modules/imports/http/import.controller.js';
import { OrganizationAuditController } from '../modules/audit/http/organization-audit.controller.js';
import {
  OrganizationInvitationController,
  OrganizationMemberController,
} from '../modules/organizations/http/organization-member.controller.js';
import { OrganizationController } from '../modules/organizations/http/organization.controller.js';
import { OrganizationsModule } from '../modules/organizations/organizations.module.js';
import { ImportsModule } from '../modules/imports/imports.module.js';
import { LogController } from '../modules/evidence/http/log.controller.js';
import { RootLogController } from '../modules/evidence/http/root-log.controller.js';
import { ForwardingModule } from '../modules/forwarding/forwarding.module.js';
import { DeliveryController } from '../modules/forwarding/http/delivery.controller.js';
import {
  ForwardingController,
  SigningSecretController,
} from '../modules/forwarding/http/forwarding.controller.js';
import { SimulateTier } from '../modules/licensing/application/simulate-tier.js';
import { PricingController } from '../modules/licensing/http/pricing.controller.js';
import { SimulateTierController, TierController } from '../modules/licensing/http/tier.controller.js';
import { LicensingModule } from '../modules/licensing/licensing.module.js';
import { TierGuard } from '../modules/licensing/tier.guard.js';
import { DocsController } from '../modules/pages/http/docs.controller.js';
import { PricingPageController } from '../modules/pages/http/pricing-page.controller.js';
import { RegionPageController } from '../modules/pages/http/region-page.controller.js';
import { ProjectStatusController } from '../modules/overview/http/project-status.controller.js';
import { ProjectController } from '../modules/overview/http/project.controller.js';
import { ProjectOverview } from '../modules/overview/application/project-overview.js';
import { ProjectsModule } from '../modules/projects/projects.module.js';
import { CdnController } from '../modules/publishing/http/cdn.controller.js';
import {
  ConfigurationController,
  DraftController,
} from '../modules/publishing/http/configuration.controller.js';
import { PublicationController } from '../modules/publishing/http/publication.controller.js';
import { PublishingModule } from '../modules/publishing/publishing.module.js';
import { CookieController } from '../modules/scans/http/cookie.controller.js';
import { FindingController } from '../modules/scans/http/finding.controller.js';
import {
  ScanAlertController,
  UnsubscribePageController,
} from '../modules/scans/http/scan-alert.controller.js';
import {
  ScanController,
  ScanDraftController,
  ScanProofController,
} from '../modules/scans/http/scan.controller.js';
import { ScanReportController } from '../modules/scans/http/scan-report.controller.js';
import { ScanScheduleController } from '../modules/scans/http/scan-schedule.controller.js';
import { ScansModule } from '../modules/scans/scans.module.js';
import { VisitEndpoint, VisitRateLimiter } from '../modules/visits/http/visit.endpoint.js';
import { VisitController } from '../modules/visits/http/visit.controller.js';
import { VisitsModule } from '../modules/visits/visits.module.js';
import { ExportPermits } from '../platform/export/export-permits.js';
import { ExportProgress } from '../platform/export/export-progress.js';
import { FileAnswer } from '../platform/http/file-answer.js';
import { ProblemModule } from '../platform/http/problem.filter.js';
import { PdfRenderer } from '../platform/pdf/pdf-renderer.js';
import { OperationsHttpModule } from '../platform/operations/http/operations-http.module.js';
import { AppModule } from './app.module.js';
import type { Settings } from './settings.js';

/** Modules whose services the routes use. */
const MODULES: Type[] = [
  AccessModule,
  AuditModule,
  BillingModule,
  ConsentModule,
  DomainsModule,
  EventsModule,
  ForwardingModule,
  ImportsModule,
  LicensingModule,
  OrganizationsModule,
  ProjectsModule,
  PublishingModule,
  ScansModule,
  VisitsModule,
];

/** The routes of all modules, in the order in which they are matched. */
const CONTROLLERS: Type[] = [
  AuthController,
  AccountController,
  InvitationController,
  OwnInvitationController,
  OwnershipController,
  SecondFactorController,
  SignInPolicyController,
  MeController,
  SessionController,
  PersonalTokenController,
  DeviceController,
  DeviceDecisionController,
  MemberController,
  ApiKeyController,
  TierController,
  PricingController,
  PricingPageController,
  RegionPageController,
  DocsController,
  AuditController,
  SecurityLogController,
  OrganizationController,
  OrganizationMemberController,
  OrganizationInvitationController,
  OrganizationAuditController,
  ProjectController,
  ProjectStatusController,
  ExportController,
  ConsentController,
  AnalyticsController,
  PrivacyController,
  VisitorController,
  ImportController,
  LogController,
  RootLogController,
  VisitController,
  ForwardingController,
  SigningSecretController,
  DeliveryController,
  EventEndpointController,
  EventController,
  EventTypeController,
  WebhookController,
  BillingController,
  ConfigurationController,
  DraftController,
  PublicationController,
  CdnController,
  DomainController,
  ProxyController,
  ScanController,
  ScanScheduleController,
  FindingController,
  CookieController,
  ScanDraftController,
  ScanProofController,
  ScanReportController,
  ScanAlertController,
  UnsubscribePageController,
];

/** Guards run in this order: access checks the caller, then licensing the tier. */
const GUARDS: Provider[] = [
  { provide: APP_GUARD, useClass: AccessGuard },
  { provide: APP_GUARD, useClass: TierGuard },
];

const PROVIDERS: Provider[] = [
  ProjectOverview,
  AuditAnswers,
  FileAnswer,
  ExportPermits,
  ExportProgress,
  IngestEndpoint,
  IngestRateLimiter,
  IngestMetrics,
  PdfRenderer,
  VisitorEndpoint,
  VisitorRateLimiter,
  VisitorMetrics,
  VisitEndpoint,
  VisitRateLimiter,
  HostEntrance,
  AskServer,
  AskMetrics,
  ProxyEntrance,
];

/** The API: the whole service and its routes. A worker has the service only, and loads no file of a route. */
@Module({})
export class ApiModule {
  static forRoot(settings: Settings): DynamicModule {
    const { production } = settings.service;
    return {
      module: ApiModule,
      imports: [AppModule.forRoot(settings), ProblemModule, OperationsHttpModule, ...MODULES],
      // Simulated subscriptions (spec §4.5) have no route in production.
      controllers: [...CONTROLLERS, ...(production ? [] : [SimulateTierController])],
      providers: [...GUARDS, ...PROVIDERS, ...(production ? [] : [SimulateTier])],
    };
  }
}
