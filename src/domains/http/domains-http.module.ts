import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import type { HttpMount } from '../../http/http-mount.js';
import { DomainsModule } from '../domains.module.js';
import { AskServer } from './ask-server.js';
import { AskMetrics } from './ask.metrics.js';
import { DomainController } from './domain.controller.js';
import { HostEntrance } from './host-entrance.js';

/** The routes of custom domains, what those domains serve, and the edge's questions. */
@Module({
  imports: [DomainsModule],
  controllers: [DomainController],
  providers: [HostEntrance, AskServer, AskMetrics],
})
export class DomainsHttpModule implements HttpMount {
  constructor(private readonly entrance: HostEntrance) {}

  enterRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    this.entrance.enter(request, response, serve);
  }
}
