import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { isOwnRequest } from '../domain/credential.js';

/** Refuses requests by pages of other sites, on routes that read or set the session cookie (CSRF). */
@Injectable()
export class OwnRequestGuard implements CanActivate {
  constructor(@InjectSettings(serviceSettings) private readonly service: ServiceSettings) {}

  canActivate(context: ExecutionContext): boolean {
    refuseForeignRequest(context.switchToHttp().getRequest<Request>(), this.service);
    return true;
  }
}

/** @throws DomainError `csrf_refused`. In production the own origin is always set: PUBLIC_BASE_URL. */
export function refuseForeignRequest(request: Request, { publicBaseUrl }: ServiceSettings): void {
  const { host, origin, 'sec-fetch-site': secFetchSite } = request.headers;
  const described = {
    method: request.method,
    host,
    origin,
    secFetchSite: Array.isArray(secFetchSite) ? secFetchSite.join() : secFetchSite,
  };
  if (!isOwnRequest(described, publicBaseUrl)) {
    throw new DomainError(
      'csrf_refused',
      'This request came from another site. Send it from the service itself, or use an API key.',
    );
  }
}
