import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { CustomDomainService } from './application/custom-domain.service.js';
import { DomainChecks, DomainMails } from './application/domain-checks.js';
import { HostList, OwnHosts } from './application/host-list.js';
import { HostSightings, ProxySightings } from './application/sightings.js';
import { KnownSites } from './application/known-sites.js';
import { ProxySecretService } from './application/proxy-secret.service.js';
import { DomainMetrics } from './infrastructure/domain.metrics.js';

/**
 * Loader, banner and records under a customer's own host: custom domains and path proxies
 * (docs/first-party.md).
 */
@Module({
  imports: [AccessModule, ProjectsModule],
  providers: [
    CustomDomainService,
    DomainChecks,
    DomainMails,
    DomainMetrics,
    HostList,
    HostSightings,
    KnownSites,
    OwnHosts,
    ProxySecretService,
    ProxySightings,
  ],
  exports: [
    CustomDomainService,
    HostList,
    HostSightings,
    KnownSites,
    OwnHosts,
    ProxySecretService,
    ProxySightings,
  ],
})
export class DomainsModule {}
