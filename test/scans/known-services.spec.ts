import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type ClassifiableItem, classifyItem } from '../../src/modules/scans/domain/classify-item.js';
import { knownServices } from '../../src/modules/scans/infrastructure/load-known-services.js';
import type { Json } from '../support/people/json.js';

const FOLDER = join('src', 'modules', 'scans', 'infrastructure', 'known-data');
const text = readFileSync(join(FOLDER, 'services.json'), 'utf8');
const data = JSON.parse(text) as { packages: Json; cookies: unknown[][]; entities: unknown[][] };

function classify(name: string, given: Partial<ClassifiableItem> = {}) {
  const item = {
    kind: 'cookie',
    name,
    host: 'shop.example',
    thirdParty: false,
    initiators: [],
    ...given,
  } as const;
  return classifyItem(item, { decisions: [], services: [], known: knownServices() });
}

describe('the known cookies and services', () => {
  it('are of the packages that scripts/cookie-data names', () => {
    const { dependencies } = JSON.parse(readFileSync('scripts/cookie-data/package.json', 'utf8')) as Json;
    expect(data.packages).toEqual(dependencies);
    expect([data.cookies.length, data.entities.length]).toEqual([2264, 2143]);
  });

  it('have their licenses beside them', () => {
    const file = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
    expect(file('NOTICE')).toContain('Open Cookie Database');
    expect(file('LICENSE.open-cookie-database')).toContain('Apache License');
    expect(file('LICENSE.third-party-web')).toContain('MIT License');
  });

  it.each([
    ['_ga', {}, 'analytics', 'guess'],
    ['_ga_1A2B3C4D5E', {}, 'analytics', 'guess'],
    ['_ga_1A2B3C4D5E', { initiators: ['www.googletagmanager.com/gtag/js'] }, 'analytics', 'known'],
    ['_hjSessionUser_123456', { initiators: ['script.hotjar.com/modules.js'] }, 'analytics', 'known'],
    ['_fbp', { initiators: ['connect.facebook.net/en_US/fbevents.js'] }, 'marketing', 'known'],
    ['IDE', { host: 'doubleclick.net', thirdParty: true }, 'marketing', 'known'],
    ['anything', { host: 'adnxs.com', thirdParty: true }, 'marketing', 'known'],
    ['PHPSESSID', {}, null, 'none'],
    ['sid', {}, null, 'none'],
  ] as const)('%s %j is %s, %s', (name, given, category, certainty) => {
    expect(classify(name, given)).toMatchObject({ category, certainty });
  });

  it('classify no row as necessary', () => {
    const categories = data.cookies.map(([name, , domains]) => {
      const [host = 'shop.example'] = domains as string[];
      return classify(String(name), { host }).category;
    });
    expect([...new Set(categories)].toSorted()).toEqual(
      [null, 'analytics', 'marketing', 'preferences'].toSorted(),
    );
  });
});
