import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import type { Client } from '../domain/client.js';
import { AuthPool } from './auth-pool.js';
import { type Auth, createAuth } from './auth.js';
import { Passwords } from './passwords.js';

/** better-auth, once in a process. */
@Injectable()
export class AuthLibrary implements OnModuleInit {
  readonly api: Auth['api'];
  private readonly auth: Auth;

  constructor(
    { pool }: AuthPool,
    passwords: Passwords,
    @InjectSettings(serviceSettings) service: ServiceSettings,
    @InjectSettings(accessSettings) { authSecret }: AccessSettings,
  ) {
    this.auth = createAuth({ ...service, authSecret }, { pool, passwords });
    this.api = this.auth.api;
  }

  /** Wrong options of the library stop the start, not the first sign-in. */
  async onModuleInit(): Promise<void> {
    await this.auth.$context;
  }
}

/** The library is shown the cookie alone: it believes headers such as `X-Forwarded-For`. */
export function cookieHeaders(cookie: string | undefined): Headers {
  return new Headers(cookie === undefined ? {} : { cookie });
}

/**
 * Like `cookieHeaders`, for requests that open a session: the library stores this header as the
 * user agent.
 */
export function sessionHeaders({ cookie, device }: Pick<Client, 'cookie' | 'device'>): Headers {
  const headers = cookieHeaders(cookie);
  headers.set('user-agent', device);
  return headers;
}
