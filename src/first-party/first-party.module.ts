import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import type { HttpMount } from '../http/http-mount.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { KnownSites } from './application/known-sites.js';
import { ProxySecretService } from './application/proxy-secret.service.js';
import { ProxySightings } from './application/proxy-sightings.js';
import { ProxyController } from './http/proxy.controller.js';
import { ProxyEntrance } from './http/proxy-entrance.js';

/** Loader, banner and records under the customer's own host (docs/first-party.md). */
@Module({
  imports: [AccessModule, ProjectsModule],
  controllers: [ProxyController],
  providers: [ProxySecretService, KnownSites, ProxySightings, ProxyEntrance],
})
export class FirstPartyModule implements HttpMount {
  constructor(private readonly entrance: ProxyEntrance) {}

  enterRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    this.entrance.enter(request, response, serve);
  }
}
