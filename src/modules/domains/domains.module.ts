import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { CustomDomainService } from './application/custom-domain.service.js';
import { DomainChecks } from './application/domain-checks.js';
import { DomainMails } from './application/domain-mails.js';
import { HostList } from './application/host-list.js';
import { HostSightings } from './application/host-sightings.js';
import { OwnHosts } from './application/own-hosts.js';
import { DomainMetrics } from './infrastructure/domain.metrics.js';

/** Hosts of customers on which the banner is served: verification and states. */
@Module({
  imports: [AccessModule, ProjectsModule],
  providers: [
    CustomDomainService,
    DomainChecks,
    DomainMails,
    DomainMetrics,
    HostList,
    HostSightings,
    OwnHosts,
  ],
  exports: [CustomDomainService, HostList, HostSightings, OwnHosts],
})
export class DomainsModule {}
