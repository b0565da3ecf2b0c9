import { isIPv4 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { isLiteralHost } from '../domain/host-rules.js';
import { type DomainSettings, domainSettings } from '../domains.settings.js';

/** Paths that probes and Prometheus request by the address or the container name of a process. */
const PROBE_PATH = /^\/(?:metrics$|health\/)/;

/** The service's own host names. */
@Injectable()
export class OwnHosts {
  readonly names: readonly string[];

  constructor(
    @InjectSettings(domainSettings) { ownHosts }: DomainSettings,
    @InjectSettings(serviceSettings) { publicBaseUrl }: ServiceSettings,
  ) {
    this.names = [...ownHosts, ...(publicBaseUrl === '' ? [] : [new URL(publicBaseUrl).hostname])];
  }

  /** Whether the service serves this path under the name as its own. */
  serve(hostname: string, path: string): boolean {
    return (
      this.names.includes(hostname) ||
      isLoopback(hostname) ||
      (isLiteralHost(hostname) && PROBE_PATH.test(path))
    );
  }
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
