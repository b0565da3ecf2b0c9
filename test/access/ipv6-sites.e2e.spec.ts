import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ATTEMPTS_PER_ADDRESS_MAX } from '../../src/modules/access/application/sign-in.service.js';
import {
  MAIL_REQUESTS_PER_NETWORK_MAX,
  MAILS_PER_NETWORK_MAX,
} from '../../src/modules/access/application/account-limits.js';
import { NETWORKS_PER_SITE } from '../../src/platform/network/client-network.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { BEHIND_LOOPBACK_PROXY, PASSWORD, postAuth } from '../support/people/user.js';

let service: TestService;
let site = 0;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
});
afterAll(() => service.close());

const signIn = [
  'sign-in/email',
  (n: number) => ({ email: `${n}@shop.example`, password: PASSWORD }),
] as const;
const forgot = ['forgot-password', (n: number) => ({ email: `${n}@shop.example` })] as const;
const link = ['confirm-email', () => ({ token: 'x'.repeat(43), password: PASSWORD })] as const;

it.each([
  ['sign-ins', 'sign_in_address', ATTEMPTS_PER_ADDRESS_MAX, ...signIn],
  ['requests of mail in a minute', 'mail_request_network', MAIL_REQUESTS_PER_NETWORK_MAX, ...forgot],
  ['requests of mail in an hour', 'mail_network', MAILS_PER_NETWORK_MAX, ...forgot],
  ['uses of links', 'link_network', MAIL_REQUESTS_PER_NETWORK_MAX, ...link],
])(
  '%s are limited for an IPv6 /48, of which one client may hold all networks',
  async (_, name, points, path, bodyOf) => {
    site += 0x10;
    const { database } = service;
    const from = async (network: number, of = site): Promise<number> => {
      const address = `2001:db8:${of.toString(16)}:${network.toString(16)}::1`;
      const headers = { 'x-forwarded-for': address };
      return (await postAuth(service, path, bodyOf(network), headers)).status;
    };
    expect(await from(1)).not.toBe(429);
    const most = points * NETWORKS_PER_SITE;
    const key = `${name}_site:%`;
    // As if the other networks of the site had sent all but one of the rest.
    await database.query('update sign_in_attempt set points = $1 where key like $2', [most - 1, key]);
    expect(await from(2)).not.toBe(429);
    expect(await from(3)).toBe(429);
    expect(await from(1, site + 1)).not.toBe(429);
    await database.query('delete from sign_in_attempt where key like $1', [key]);
  },
);
