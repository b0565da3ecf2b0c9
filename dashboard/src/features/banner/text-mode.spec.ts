import { describe, expect, it } from '@jest/globals';
import { allModes } from './configuration.js';
import { isModeUsed, previewDocument } from './text-mode.js';

const RULES = {
  defaultModes: allModes('opt_in'),
  regionRules: [{ regions: ['US-CA'], mode: 'opt_out' as const, modes: allModes('opt_out') }],
  categories: ['analytics' as const],
  honorGlobalPrivacyControl: true,
};

describe('isModeUsed', () => {
  it('knows the modes of the rules, and the signal where anything runs without a choice', () => {
    expect(
      ['opt_in', 'opt_out', 'notice', 'signal'].map((mode) => isModeUsed(mode as 'notice', RULES)),
    ).toEqual([true, true, false, true]);
    expect(isModeUsed('signal', { ...RULES, honorGlobalPrivacyControl: false })).toBe(false);
    expect(isModeUsed('signal', { ...RULES, regionRules: [] })).toBe(false);
    expect(isModeUsed('signal', { ...RULES, regionRules: [], defaultModes: allModes('notice') })).toBe(true);
  });

  it('informs where no category is offered', () => {
    expect(isModeUsed('notice', { ...RULES, categories: [] })).toBe(true);
  });
});

describe('previewDocument', () => {
  const words = {
    title: '',
    description: '',
    acceptAll: '',
    rejectAll: '',
    choose: '',
    save: '',
    categories: [],
  };
  const text = (language: string, labels: Record<string, string>) => ({ ...words, language, labels });

  it('prefers the owner’s label, then ours in the language, then the default language’s', () => {
    const banner = { logo: 'data:image/png;base64,AA' };
    const form = {
      banner,
      defaultLanguage: 'en',
      texts: [text('en', { noticeTitle: 'Mine' }), text('ja', {})],
    };
    const presets = [text('en', { noticeTitle: 'Ours', optOutTitle: 'Ours too' })];
    const document = {
      configHash: 'x',
      banner: { font: 'site', logo: 'logo-1.png' },
      texts: [text('en', {}), text('ja', {})],
    };
    expect(previewDocument(document, form, presets)).toEqual({
      configHash: 'x',
      banner: { font: 'site', ...banner },
      texts: ['en', 'ja'].map((language) => text(language, { noticeTitle: 'Mine', optOutTitle: 'Ours too' })),
    });
  });
});
