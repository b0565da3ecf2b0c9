import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_CONFIGURATION,
  type SiteConfiguration,
} from '../../src/modules/publishing/domain/configuration.js';
import { defaultText } from '../../src/modules/publishing/domain/default-texts.js';
import { renderDocument } from '../../src/modules/publishing/domain/document.js';

const SOURCE = {
  projectId: '01a1fec8-570f-715b-b2b3-e89dce8cae7b',
  domains: ['example.com'],
  controller: { name: 'Example Ltd', contact: null },
  tier: 'business' as const,
  publicBaseUrl: 'https://api.example.com',
  scripts: {
    banner: 'banner-0123456789abcdef.js',
    bannerWithSignals: 'banner-fedcba9876543210.js',
    signals: 'signals-0123456789abcdef.js',
    bannerByService: 'banner-1111111111111111.js',
    bannerByServiceWithSignals: 'banner-2222222222222222.js',
    services: 'banner-3333333333333333.js',
  },
  countsVisits: true,
  at: new Date('2026-11-26'),
};

describe('the size of a document, gzipped', () => {
  const cookie = (name: string, isTranslated: boolean) => ({
    name,
    duration: '13 months',
    purpose: 'Distinguishes visitors to count visits.',
    translations: isTranslated
      ? [{ language: 'de', duration: '13 Monate', purpose: 'Unterscheidet Besucher, um Besuche zu zählen.' }]
      : [],
  });
  const sizeOf = (languages: string[], isTranslated: boolean): number => {
    const configuration: SiteConfiguration = {
      ...DEFAULT_CONFIGURATION,
      policyUrl: 'https://www.example.com/privacy',
      texts: languages.map((language) => ({ ...defaultText(language), labels: {} })),
      banner: { ...DEFAULT_CONFIGURATION.banner, enabled: true },
      services: (['analytics', 'marketing', 'preferences'] as const).map((category) => ({
        name: `Service for ${category}`,
        provider: 'Example Ltd',
        category,
        policyUrl: `https://example.org/${category}`,
        cookies: ['', '_*'].map((end) => cookie(`_${category}${end}`, isTranslated)),
        translations: isTranslated ? [{ language: 'de', name: `Dienst für ${category}` }] : [],
      })),
    };
    return gzipSync(renderDocument({ ...SOURCE, configuration }).body, { level: 9 }).length;
  };

  it('is at most 2.5 kB with three services, to which translations add little', () => {
    expect(sizeOf(['en'], false)).toBeLessThanOrEqual(2_500);
    expect(sizeOf(['en', 'de'], true) - sizeOf(['en', 'de'], false)).toBeLessThanOrEqual(120);
  });
});
