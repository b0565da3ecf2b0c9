import { Injectable } from '@nestjs/common';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { type AccessSettings, accessSettings } from '../access.settings.js';
import type { SignInClient } from '../domain/session.js';
import { AuthPool } from './auth-pool.js';
import type { Auth } from './auth.js';
import { Passwords } from './passwords.js';

/** better-auth, loaded on the first use: it takes a tenth of a start's time and memory. */
@Injectable()
export class AuthLibrary {
  private loading: Promise<Auth['api']> | null = null;

  constructor(
    private readonly pool: AuthPool,
    private readonly passwords: Passwords,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
    @InjectSettings(accessSettings) private readonly settings: AccessSettings,
  ) {}

  /** The library's functions. After a failure, the next call tries again. */
  api(): Promise<Auth['api']> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  private async load(): Promise<Auth['api']> {
    const { createAuth } = await import('./auth.js');
    const { authSecret } = this.settings;
    const { pool } = this.pool;
    const auth = createAuth({ ...this.service, authSecret }, { pool, passwords: this.passwords });
    await auth.$context;
    return auth.api;
  }
}

/** Passes only the cookie to the library, which trusts headers such as `X-Forwarded-For`. */
export function cookieHeaders(cookie: string | undefined): Headers {
  return new Headers(cookie === undefined ? {} : { cookie });
}

/**
 * Like `cookieHeaders`, for requests that open a session: the library stores this header as the
 * user agent.
 */
export function sessionHeaders({ cookie, device }: Pick<SignInClient, 'cookie' | 'device'>): Headers {
  const headers = cookieHeaders(cookie);
  headers.set('user-agent', device);
  return headers;
}
