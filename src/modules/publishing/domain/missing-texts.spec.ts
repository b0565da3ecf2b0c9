import { describe, expect, it } from '@jest/globals';
import type { BannerText } from './banner-text.js';
import { DEFAULT_CONFIGURATION, type SiteConfiguration } from './configuration.js';
import { DEFAULT_LANGUAGES, defaultText, defaultTexts } from './default-texts.js';
import { missingTexts } from './missing-texts.js';

const AT = new Date('2026-11-29');
const ENGLISH = { ...defaultText('en'), labels: {} };
const ARABIC: BannerText = {
  language: 'ar',
  title: 'نحن نهتم بخصوصيتك',
  description: 'نستخدم ملفات تعريف الارتباط.',
  acceptAll: 'قبول الكل',
  rejectAll: 'رفض الكل',
  choose: 'تخصيص',
  save: 'حفظ',
  categories: [
    { key: 'analytics', title: 'التحليلات', description: 'كيف يستخدم الموقع.' },
    { key: 'marketing', title: 'التسويق', description: 'إعلانات مناسبة.' },
    { key: 'preferences', title: 'التفضيلات', description: 'يتذكر إعداداتك.' },
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
  missingTexts(configuration(texts, changes), AT).find(({ language }) => language === 'ar')?.fields;

describe('missingTexts', () => {
  it.each(DEFAULT_LANGUAGES)(
    'finds nothing in our own texts with %s as the default language',
    (defaultLanguage) => {
      for (const texts of [defaultTexts(), defaultTexts().map((text) => ({ ...text, labels: {} }))])
        expect(missingTexts(configuration(texts, { defaultLanguage }), AT)).toEqual([]);
    },
  );

  it('names labels of a language that we have no texts in, if a mode in use shows them', () => {
    const missing = fieldsOf([ENGLISH, ARABIC]);
    expect(missing).toEqual(expect.arrayContaining(['labels.close', 'labels.consentId']));
    expect(missing).not.toContain('labels.noticeTitle');
    expect(missing).not.toContain('title');
    const informed = fieldsOf([ENGLISH, ARABIC], { categories: [] });
    expect(informed).toContain('labels.noticeTitle');
    const labels = { ...defaultText('en').labels, close: 'إغلاق' };
    expect(fieldsOf([ENGLISH, { ...ARABIC, labels }])).toBeUndefined();
    expect(fieldsOf([{ ...ARABIC }], { defaultLanguage: 'ar' })).toContain('labels.close');
  });

  it('names phrases that are those of the default language, and no single words', () => {
    const labels = defaultText('en').labels;
    const copied = { ...ARABIC, labels, description: ENGLISH.description, choose: ENGLISH.choose };
    expect(fieldsOf([ENGLISH, copied])).toEqual(['description']);
    // The site's own labels, copied.
    expect(fieldsOf([{ ...ENGLISH, labels }, copied])).toContain('labels.necessaryDescription');
    // A variant of the default language may have the same texts.
    const british = { ...ENGLISH, language: 'en-GB' };
    expect(missingTexts(configuration([ENGLISH, british]), AT)).toEqual([]);
  });

  it('names offered categories without texts', () => {
    const labels = defaultText('en').labels;
    const [analytics] = ARABIC.categories;
    const partial = {
      ...ARABIC,
      labels,
      categories: [analytics!, { ...ARABIC.categories[1]!, description: ' ' }],
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
    expect(fieldsOf([ENGLISH, ARABIC], { banner: DEFAULT_CONFIGURATION.banner })).toBeUndefined();
  });
});
