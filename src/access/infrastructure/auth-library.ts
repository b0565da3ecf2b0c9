import { Injectable } from '@nestjs/common';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import type { Client } from '../domain/client.js';
import { AuthPool } from './auth-pool.js';
import type { Auth } from './auth.js';
import { Passwords } from './passwords.js';

/** better-auth, once in an API process. Workers never load it: it takes a tenth of the time and memory of a start. */
@Injectable()
export class AuthLibrary {
  private auth: Auth | null = null;

  constructor(
    private readonly pool: AuthPool,
    private readonly passwords: Passwords,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
    @InjectSettings(accessSettings) private readonly settings: AccessSettings,
  ) {}

  get api(): Auth['api'] {
    if (!this.auth) throw new Error('better-auth is not loaded in this process.');
    return this.auth.api;
  }

  /** Every API process calls it when it starts: wrong options of the library stop the start, not the first sign-in. */
  async load(): Promise<void> {
    const { createAuth } = await import('./auth.js');
    const { authSecret } = this.settings;
    const { pool } = this.pool;
    this.auth = createAuth({ ...this.service, authSecret }, { pool, passwords: this.passwords });
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
