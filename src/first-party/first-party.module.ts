import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { KnownSites } from './application/known-sites.js';
import { ProxySecretService } from './application/proxy-secret.service.js';
import { ProxySightings } from './application/proxy-sightings.js';

/** Loader, banner and records under the customer's own host (docs/first-party.md). */
@Module({
  imports: [ProjectsModule],
  providers: [ProxySecretService, KnownSites, ProxySightings],
  exports: [ProxySecretService, KnownSites, ProxySightings],
})
export class FirstPartyModule {}
