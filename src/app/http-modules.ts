import type { DynamicModule, Type } from '@nestjs/common';
import { AccessHttpModule } from '../access/http/access-http.module.js';
import { AuditHttpModule } from '../audit/http/audit-http.module.js';
import { BillingHttpModule } from '../billing/http/billing-http.module.js';
import { ConsentHttpModule } from '../consent/http/consent-http.module.js';
import { DomainsHttpModule } from '../domains/http/domains-http.module.js';
import { EvidenceHttpModule } from '../evidence/http/evidence-http.module.js';
import { FirstPartyHttpModule } from '../first-party/http/first-party-http.module.js';
import { ForwardingHttpModule } from '../forwarding/http/forwarding-http.module.js';
import { FilesModule } from '../http/file-answer.js';
import { ProblemModule } from '../http/problem.module.js';
import { LicensingHttpModule } from '../licensing/http/licensing-http.module.js';
import { TierSimulationModule } from '../licensing/http/tier-simulation.module.js';
import { OperationsHttpModule } from '../operations/http/operations-http.module.js';
import { ProjectsHttpModule } from '../projects/http/projects-http.module.js';
import { PublishingHttpModule } from '../publishing/http/publishing-http.module.js';
import { ScansHttpModule } from '../scans/http/scans-http.module.js';
import type { Settings } from './settings.js';
import { VisitsHttpModule } from '../visits/http/visits-http.module.js';

/** The routes of every module. Guards run in the order of their modules: access checks the caller, then licensing the tier. */
export function httpModules({ service }: Settings): (Type | DynamicModule)[] {
  return [
    ProblemModule,
    FilesModule,
    AccessHttpModule,
    LicensingHttpModule,
    ...(service.production ? [] : [TierSimulationModule]),
    AuditHttpModule,
    ProjectsHttpModule,
    ConsentHttpModule,
    EvidenceHttpModule,
    VisitsHttpModule,
    ForwardingHttpModule,
    BillingHttpModule,
    PublishingHttpModule,
    // Ahead of the path proxy: a custom domain serves no `/first-party/`.
    DomainsHttpModule,
    FirstPartyHttpModule,
    ScansHttpModule,
    OperationsHttpModule,
  ];
}
