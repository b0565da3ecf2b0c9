import { describe, expect, it } from '@jest/globals';
import { publishedSignals, SIGNALS_OFF } from './signals.js';

describe('publishedSignals', () => {
  it('is empty where nothing is on, since each page loads it', () => {
    expect(publishedSignals(SIGNALS_OFF)).toEqual({});
  });

  it('names the targets that are on, in a fixed order', () => {
    const settings = { ...SIGNALS_OFF, shopify: true, microsoftUet: true, dataLayerEvent: 'choice' };
    expect(publishedSignals(settings)).toEqual({ signals: ['microsoftUet', 'shopify'] });
  });

  it('names the event where it is sent', () => {
    const settings = { ...SIGNALS_OFF, dataLayer: true, dataLayerEvent: 'choice' };
    expect(publishedSignals(settings)).toEqual({ signals: ['dataLayer'], dataLayerEvent: 'choice' });
  });

  it('names both of Google’s options where one is on, so that the other replaces an older value', () => {
    expect(publishedSignals({ ...SIGNALS_OFF, googleUrlPassthrough: true })).toEqual({
      gtag: { url_passthrough: true, ads_data_redaction: false },
    });
  });
});
