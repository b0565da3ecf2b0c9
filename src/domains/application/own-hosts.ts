import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { type DomainSettings, domainSettings } from '../domains.settings.js';

/** The names under which the service itself is reached. */
@Injectable()
export class OwnHosts {
  readonly names: readonly string[];

  constructor(
    @InjectSettings(domainSettings) { ownHosts }: DomainSettings,
    @InjectSettings(serviceSettings) { publicBaseUrl }: ServiceSettings,
  ) {
    this.names = [...ownHosts, ...(publicBaseUrl === '' ? [] : [new URL(publicBaseUrl).hostname])];
  }

  /** Addresses and names without a dot, as health checks and containers use, are the service's own. */
  has(hostname: string): boolean {
    return (
      !hostname.includes('.') ||
      hostname.startsWith('[') ||
      isIP(hostname) !== 0 ||
      this.names.includes(hostname)
    );
  }
}
