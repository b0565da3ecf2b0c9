import { afterAll, describe, expect, it } from '@jest/globals';
import { stat } from 'node:fs/promises';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import {
  PASSWORD_THREADS,
  Passwords,
  PASSWORDS_WAITING_MAX,
} from '../../src/modules/access/infrastructure/passwords.js';

const PASSWORD = 'ﬁne passwörd';

const passwords = new Passwords();
afterAll(() => passwords.onApplicationShutdown());

describe('a password hash', () => {
  it('that better-auth made is valid, and the other way around', async () => {
    const theirs = await hashPassword(PASSWORD);
    expect(await passwords.matches(PASSWORD, theirs)).toBe(true);
    expect(await passwords.matches('another', theirs)).toBe(false);
    const ours = await passwords.hash(PASSWORD);
    expect(ours).not.toBe(theirs);
    expect(await verifyPassword({ hash: ours, password: PASSWORD })).toBe(true);
    expect(await passwords.matches('fine passwörd', ours)).toBe(true);
  });

  it('that is malformed fails, and the next one is compared', async () => {
    await expect(passwords.matches(PASSWORD, 'nonsense')).rejects.toThrow('malformed');
    expect(await passwords.matches(PASSWORD, 'salt:00ff')).toBe(false);
  });

  it('leaves the threads of libuv free, has a bounded queue, and waits for none at the end', async () => {
    const busy = new Passwords();
    let hashed = 0;
    const all = Array.from({ length: PASSWORD_THREADS + PASSWORDS_WAITING_MAX }, () =>
      busy.hash(PASSWORD).then(() => (hashed += 1)),
    );
    const ended = Promise.allSettled(all);
    await expect(busy.hash(PASSWORD)).rejects.toMatchObject({
      code: 'too_many_requests',
      details: { retryAfterSeconds: 3 },
    });
    await Promise.race(all);
    for (let file = 0; file < 10; file += 1) await stat('.');
    expect(hashed).toBeLessThan(10);
    await busy.onApplicationShutdown();
    expect((await ended).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  });
});
