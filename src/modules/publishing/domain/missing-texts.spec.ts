import { describe, expect, it } from '@jest/globals';
import type { BannerText } from './banner-text.js';
import { DEFAULT_CONFIGURATION, type SiteConfiguration } from './configuration.js';
import { defaultText, defaultTexts } from './default-texts.js';
import { DEFAULT_LANGUAGES } from './text-language.js';
import { missingTexts } from './missing-texts.js';

const AT = new Date('2026-11-29');
const ENGLISH = { ...defaultText('en'), labels: {} };
const PERSIAN: BannerText = {
  language: 'fa',
  title: 'به حریم خصوصی شما احترام می‌گذاریم',
  description: 'ما از کوکی استفاده می‌کنیم.',
  acceptAll: 'پذیرش همه',
  rejectAll: 'رد همه',
  choose: 'سفارشی‌سازی',
  save: 'ذخیره',
  categories: [
    { key: 'analytics', title: 'آمار', description: 'نحوه استفاده از سایت.' },
    { key: 'marketing', title: 'بازاریابی', description: 'تبلیغات مرتبط.' },
    { key: 'preferences', title: 'ترجیحات', description: 'تنظیمات شما را نگه می‌دارد.' },
  ],
  labels: {},
};
const configuration = (texts: BannerText[], changes: Partial<SiteConfiguration> = {}): SiteConfiguration => ({
  ...DEFAULT_CONFIGURATION,
  banner: { ...DEFAULT_CONFIGURATION.banner, enabled: true },
  texts,
  ...changes,
});
const fieldsOf = (texts: BannerText[], changes?: Partial<SiteConfiguration>): string[] | undefined =>
  missingTexts(configuration(texts, changes), AT).find(({ language }) => language === 'fa')?.fields;

describe('missingTexts', () => {
  it.each(DEFAULT_LANGUAGES)(
    'finds nothing in our own texts with %s as the default language',
    (defaultLanguage) => {
      for (const texts of [defaultTexts(), defaultTexts().map((text) => ({ ...text, labels: {} }))])
        expect(missingTexts(configuration(texts, { defaultLanguage }), AT)).toEqual([]);
    },
  );

  it('names labels of a language that we have no texts in, if a mode in use shows them', () => {
    const missing = fieldsOf([ENGLISH, PERSIAN]);
    expect(missing).toEqual(expect.arrayContaining(['labels.close', 'labels.consentId']));
    expect(missing).not.toContain('labels.noticeTitle');
    expect(missing).not.toContain('title');
    const informed = fieldsOf([ENGLISH, PERSIAN], { categories: [] });
    expect(informed).toContain('labels.noticeTitle');
    const labels = { ...defaultText('en').labels, close: 'بستن' };
    expect(fieldsOf([ENGLISH, { ...PERSIAN, labels }])).toBeUndefined();
    expect(fieldsOf([{ ...PERSIAN }], { defaultLanguage: 'fa' })).toContain('labels.close');
  });

  it('names phrases that are those of the default language, and no single words', () => {
    const labels = defaultText('en').labels;
    const copied = { ...PERSIAN, labels, description: ENGLISH.description, choose: ENGLISH.choose };
    expect(fieldsOf([ENGLISH, copied])).toEqual(['description']);
    // The site's own labels, copied.
    expect(fieldsOf([{ ...ENGLISH, labels }, copied])).toContain('labels.necessaryDescription');
    // A variant of the default language may have the same texts.
    const british = { ...ENGLISH, language: 'en-GB' };
    expect(missingTexts(configuration([ENGLISH, british]), AT)).toEqual([]);
  });

  it('names offered categories without texts', () => {
    const labels = defaultText('en').labels;
    const [analytics] = PERSIAN.categories;
    const partial = {
      ...PERSIAN,
      labels,
      categories: [analytics!, { ...PERSIAN.categories[1]!, description: ' ' }],
    };
    expect(fieldsOf([ENGLISH, partial])).toEqual([
      'categories.marketing.description',
      'categories.preferences.title',
      'categories.preferences.description',
    ]);
    expect(fieldsOf([ENGLISH, partial], { categories: ['analytics'] })).toBeUndefined();
  });

  it('takes categories that a language lacks from our texts in it', () => {
    const french = { ...defaultText('fr'), labels: {}, categories: [] };
    expect(missingTexts(configuration([ENGLISH, french]), AT)).toEqual([]);
  });

  it('leaves a site with its own banner alone', () => {
    expect(fieldsOf([ENGLISH, PERSIAN], { banner: DEFAULT_CONFIGURATION.banner })).toBeUndefined();
  });
});
