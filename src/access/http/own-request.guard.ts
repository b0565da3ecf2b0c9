import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { InjectSettings, type Settings } from '../../shared/settings.js';
import { isOwnRequest } from '../domain/request-origin.js';

/** Refuses requests that another site's page makes, on routes that read or set the session cookie (CSRF). */
@Injectable()
export class OwnRequestGuard implements CanActivate {
  constructor(@InjectSettings() private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    refuseForeignRequest(context.switchToHttp().getRequest<Request>(), this.settings);
    return true;
  }
}

/** @throws DomainError `csrf_refused`. In production the own origin is always configured (config.ts). */
export function refuseForeignRequest(request: Request, settings: Settings): void {
  const { host, origin, 'sec-fetch-site': secFetchSite } = request.headers;
  const described = {
    method: request.method,
    host,
    origin,
    secFetchSite: Array.isArray(secFetchSite) ? secFetchSite.join() : secFetchSite,
  };
  if (!isOwnRequest(described, settings.publicBaseUrl)) {
    throw new DomainError(
      'csrf_refused',
      'This request came from another site. Send it from the service itself, or with an API key.',
    );
  }
}
