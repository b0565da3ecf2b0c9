import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import type { HttpMount } from '../http/http-mount.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { CustomDomainService } from './application/custom-domain.service.js';
import { DomainChecks } from './application/domain-checks.js';
import { DomainMails } from './application/domain-mails.js';
import { HostList } from './application/host-list.js';
import { HostSightings } from './application/host-sightings.js';
import { OwnHosts } from './application/own-hosts.js';
import { AskServer } from './http/ask-server.js';
import { AskMetrics } from './http/ask.metrics.js';
import { DomainController } from './http/domain.controller.js';
import { HostEntrance } from './http/host-entrance.js';
import { DomainMetrics } from './infrastructure/domain.metrics.js';

/** Hosts of customers on which the banner is served: verification, states, and the edge's questions. */
@Module({
  imports: [AccessModule, ProjectsModule],
  controllers: [DomainController],
  providers: [
    CustomDomainService,
    DomainChecks,
    DomainMails,
    DomainMetrics,
    HostList,
    HostSightings,
    OwnHosts,
    HostEntrance,
    AskServer,
    AskMetrics,
  ],
})
export class DomainsModule implements HttpMount {
  constructor(private readonly entrance: HostEntrance) {}

  enterRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    this.entrance.enter(request, response, serve);
  }
}
