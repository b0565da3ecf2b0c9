import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type DomainError, tooManyRequests } from '../../../platform/errors/domain-error.js';
import { ThreadPool } from '../../../platform/threads/thread-pool.js';
import type { PasswordTask } from './password-thread.js';

/** A hash takes some 70 ms of a core; on small machines one core is left for everything else. */
export const PASSWORD_THREADS = availableParallelism() > 2 ? 2 : 1;
/** Passwords waiting for a thread: some 3 s of hashing. */
export const PASSWORDS_WAITING_MAX = 48;
/** A safety net: a hash has a fixed cost, so only an overloaded machine exceeds it. */
const TASK_MAX_MS = 30_000;
/** By then part of the queue is done. */
const RETRY_AFTER_MS = 3_000;

/**
 * Password hashes in the format of better-auth: scrypt with a random salt. They are computed on
 * separate threads, one or two at once: in libuv's thread pool a hundred sign-ins delayed every
 * session cookie and every file by half a minute.
 */
@Injectable()
export class Passwords implements OnApplicationShutdown {
  private readonly threads = new ThreadPool<PasswordTask, string | boolean>(
    new URL('./password-thread.js', import.meta.url),
    {
      name: 'passwords',
      threads: PASSWORD_THREADS,
      waitingMax: PASSWORDS_WAITING_MAX,
      taskMaxMs: TASK_MAX_MS,
      refusal: passwordsBusy,
    },
  );

  /** @throws DomainError `too_many_requests` */
  async hash(password: string): Promise<string> {
    return (await this.threads.run({ password })) as string;
  }

  /** Whether the password matches the hash. @throws DomainError `too_many_requests` */
  async matches(password: string, hash: string): Promise<boolean> {
    return (await this.threads.run({ password, hash })) as boolean;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}

/** The error for a full password queue; 429, because anonymous clients can cause it. */
export function passwordsBusy(): DomainError {
  return tooManyRequests('Too many sign-ins at the moment. Try again shortly.', RETRY_AFTER_MS);
}
