import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import type { HttpMount } from '../../http/http-mount.js';
import { FirstPartyModule } from '../first-party.module.js';
import { ProxyEntrance } from './proxy-entrance.js';
import { ProxyController } from './proxy.controller.js';

/** The routes of the path proxy, and what it serves. */
@Module({ imports: [FirstPartyModule], controllers: [ProxyController], providers: [ProxyEntrance] })
export class FirstPartyHttpModule implements HttpMount {
  constructor(private readonly entrance: ProxyEntrance) {}

  enterRequest(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    this.entrance.enter(request, response, serve);
  }
}
