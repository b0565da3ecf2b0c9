import { describe, expect, it } from '@jest/globals';
import { COMMON_SERVICES } from './common-services/services.js';
import type { Configuration } from './configuration.js';
import { publisherAds } from './publisher-ads.js';

const NOTHING = { services: [], blocking: { rules: [] } };
const service = (name: string, ...cookies: string[]): Configuration['services'][number] => ({
  name,
  provider: 'Google',
  category: 'marketing',
  cookies: cookies.map((cookie) => ({ name: cookie, duration: '1 year', purpose: 'Ads' })),
});
const found = (changes: Partial<Pick<Configuration, 'services' | 'blocking'>>): string[] =>
  publisherAds({ ...NOTHING, ...changes });
const foundHost = (host: string, path: string | null = null): string[] =>
  found({ blocking: { rules: [{ host, path, category: 'marketing' }] } });

describe('publisherAds', () => {
  it.each(['AdSense', 'Google AdSense', 'Google Ad Manager', 'AdMob', 'google publisher tag'])(
    'finds the service %s',
    (name) => expect(found({ services: [service(name)] })).toEqual([name]),
  );

  it.each(['Google Ads', 'Google Analytics', 'Meta Ads Manager', 'Admobile'])('takes %s for none', (name) =>
    expect(found({ services: [service(name)] })).toEqual([]),
  );

  it.each(['__gads', '__gpi', '__gpi*', '__eoi'])(
    'finds the cookie %s, whatever its service is called',
    (name) => expect(found({ services: [service('Ads', '_ga', name)] })).toEqual([name]),
  );

  it.each(['googlesyndication.com', 'pagead2.googlesyndication.com', 'securepubads.g.doubleclick.net'])(
    'finds the host %s',
    (host) => expect(foundHost(host)).toEqual([host]),
  );

  it.each([
    ['doubleclick.net', null],
    ['googleads.g.doubleclick.net', null],
    ['notgooglesyndication.com', null],
    ['pagead2.googlesyndication.com', '/ccm/collect'],
  ])('takes the host %s with the path %s for none', (host, path) =>
    expect(foundHost(host, path)).toEqual([]),
  );

  it('names each thing once', () => {
    const services = [service('AdSense', '__gads'), service('AdSense', '__gads')];
    expect(found({ services })).toEqual(['AdSense', '__gads']);
  });

  it('finds nothing in the common services', () => {
    const rules = COMMON_SERVICES.flatMap(({ hosts, category }) =>
      hosts.map((host) => ({ ...host, category })),
    );
    const services = COMMON_SERVICES.map(({ name, cookies }) =>
      service(name, ...cookies.map((cookie) => cookie.name)),
    );
    expect(publisherAds({ services, blocking: { rules } })).toEqual([]);
  });
});
