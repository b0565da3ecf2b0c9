import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  FAILURES_PER_EMAIL_MAX,
  FAILURES_PER_NETWORK_MAX,
} from '../../src/modules/access/application/password-attempts.js';
import { NETWORKS_PER_USER_MAX } from '../../src/modules/access/infrastructure/known-networks.js';
import { useQuickPasswords, useRealPasswords } from '../support/programs/quick-passwords.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { BEHIND_LOOPBACK_PROXY, freshAddress, PASSWORD, postAuth, signUp } from '../support/people/user.js';

const NETWORKS = 1_000;
/** Sign-ins at the same time, each from a different network. */
const FLOOD = 100;
/** Guesses that are answered while one session request is: a hash takes longer than such a request. */
const GUESSES_MEANWHILE_MAX = 8;
/** Requests at the same time; more only wait for each other. */
const CALLERS = 20;

let service: TestService;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterEach(() => useQuickPasswords(service.app));
afterAll(() => service.close());

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

/**
 * Tries one wrong password from each of this many networks; returns how often each status was
 * returned.
 */
async function attack(email: string, networks: number): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  let left = networks;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status } = await postAuth(service, 'sign-in/email', { email, password: 'wrong password' });
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return counts;
}

describe('a stranger with a thousand networks', () => {
  it('guesses no more than the backstop allows, and does not lock the owner out of her own network', async () => {
    const home = from(freshAddress());
    const { email, request } = await signUp(service, {}, home);
    const counts = await attack(email, NETWORKS);
    const signIn = { email, password: PASSWORD };
    const own = await postAuth(service, 'sign-in/email', signIn, home);
    const change = { currentPassword: PASSWORD, newPassword: 'another password' };
    const changed = await request('POST', '/v1/auth/change-password', change);
    process.stdout.write(
      `${NETWORKS} networks: ${counts[401]} guesses answered, ${counts[429]} refused; ` +
        `own network ${own.status}, change of password ${changed.status}\n`,
    );
    expect(counts).toEqual({ 401: FAILURES_PER_EMAIL_MAX, 429: NETWORKS - FAILURES_PER_EMAIL_MAX });
    expect({ own: own.status, changed: changed.status }).toEqual({ own: 200, changed: 200 });
    // The overall limit refuses everyone else, even with the right password.
    expect(
      (await postAuth(service, 'sign-in/email', { ...signIn, password: 'another password' })).status,
    ).toBe(429);
    // Guesses from the user's own network are limited as from any other.
    for (let number = 0; number < FAILURES_PER_NETWORK_MAX; number += 1) {
      expect((await postAuth(service, 'sign-in/email', signIn, home)).status).toBe(401);
    }
    expect((await postAuth(service, 'sign-in/email', signIn, home)).status).toBe(429);
  });

  it('leaves her a network that she signed in from, until it was long ago', async () => {
    const { id, email } = await signUp(service);
    const travel = from(freshAddress());
    const signIn = (): Promise<Response> =>
      postAuth(service, 'sign-in/email', { email, password: PASSWORD }, travel);
    const passDays = (days: number): Promise<unknown> =>
      service.database.query(
        'update user_network set seen_at = seen_at - make_interval(days => $2) where user_id = $1',
        [id, days],
      );
    expect((await signIn()).status).toBe(200);
    // Each sign-in restarts the count: in the end the first of them was 58 days ago.
    await passDays(29);
    expect((await signIn()).status).toBe(200);
    await passDays(29);
    // All of them are counted: none was turned away for another reason.
    expect(await attack(email, FAILURES_PER_EMAIL_MAX)).toEqual({ 401: FAILURES_PER_EMAIL_MAX });
    expect((await signIn()).status).toBe(200);
    await passDays(30);
    expect((await signIn()).status).toBe(429);
  });

  it('with a hundred of them at once holds up neither sessions nor files nor who signs in from a known network', async () => {
    useRealPasswords(service.app);
    const home = from(freshAddress());
    const { email, request } = await signUp(service, {}, home);
    let guessed = 0;
    const flood = Array.from({ length: FLOOD }, async (_, guest) => {
      const wrong = { email: `${guest}@flood.example.com`, password: 'wrong password' };
      const response = await postAuth(service, 'sign-in/email', wrong);
      if (response.status === 401) guessed += 1;
      return response;
    });
    const over = new AbortController();
    const ended = Promise.all(flood).then(() => over.abort());
    let longest = 0;
    await Promise.race(flood);
    const own = postAuth(service, 'sign-in/email', { email, password: PASSWORD }, home);
    while (!over.signal.aborted) {
      const before = guessed;
      const [session, file] = await Promise.all([
        request('GET', '/v1/me'),
        fetch(`${service.baseUrl}/cdn/${randomUUID()}/config.json`),
      ]);
      expect([session.status, file.status]).toEqual([200, 404]);
      longest = Math.max(longest, guessed - before);
    }
    await ended;
    expect((await own).status).toBe(200);
    // A session or a file waited for all of the guesses that were queued before it.
    expect(longest).toBeLessThan(GUESSES_MEANWHILE_MAX);
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 401).length + refused.length).toBe(FLOOD);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) expect(response.headers.get('retry-after')).toBe('3');
    expect(await refused[0]?.json()).toMatchObject({ code: 'too_many_requests' });
  });

  it(`remembers the last ${NETWORKS_PER_USER_MAX} networks of a user`, async () => {
    const { id, email } = await signUp(service);
    await service.database.query(
      `insert into user_network select $1, sha256(n::text::bytea), now() - n * interval '1 minute'
       from generate_series(1, $2) n`,
      [id, NETWORKS_PER_USER_MAX + 5],
    );
    expect((await postAuth(service, 'sign-in/email', { email, password: PASSWORD })).status).toBe(200);
    // The newest ones: this sign-in's, back to the oldest stored one.
    const kept = await service.database.query<{ minutes: number }>(
      `select round(extract(epoch from now() - seen_at) / 60)::int as minutes from user_network
       where user_id = $1 order by seen_at desc`,
      [id],
    );
    expect(kept).toHaveLength(NETWORKS_PER_USER_MAX);
    expect(kept[0]?.minutes).toBe(0);
    expect(kept.at(-1)?.minutes).toBeLessThanOrEqual(NETWORKS_PER_USER_MAX);
  });
});
