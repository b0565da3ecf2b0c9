import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { defaultSnippet } from './default-snippet.js';

/** The queues of a page after this HTML. */
function queuesAfter(html: string): { uetq?: unknown[]; clarity?: unknown[] } {
  const window: { uetq?: unknown[]; clarity?: { q: IArguments[] } } = {};
  const script = /<script>([^]*?)<\/script>/.exec(html)?.[1] ?? '';
  // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-implied-eval -- what an owner pastes into a page
  new Function('window', script)(window);
  return {
    ...(window.uetq && { uetq: window.uetq }),
    ...(window.clarity && { clarity: window.clarity.q.map((given) => [...given]) }),
  };
}

const UETQ = ['consent', 'default', { ad_storage: 'denied' }];
const CLARITY = [['consentv2', { ad_Storage: 'denied', analytics_Storage: 'denied' }]];

describe('defaultSnippet', () => {
  it.each([
    [{ microsoftUet: true }, { uetq: UETQ }],
    [{ microsoftClarity: true }, { clarity: CLARITY }],
    [
      { microsoftUet: true, microsoftClarity: true },
      { uetq: UETQ, clarity: CLARITY },
    ],
  ])('queues the defaults of %j', (signals, queues) => {
    expect(queuesAfter(defaultSnippet(signals) ?? '')).toEqual(queues);
  });

  it('is not needed for other signals', () => {
    expect(defaultSnippet({ metaPixel: true, tiktokPixel: true, dataLayer: true })).toBeNull();
  });

  it('does what the snippet of docs/signals.md does', () => {
    expect(queuesAfter(readFileSync('docs/signals.md', 'utf8'))).toEqual({ uetq: UETQ, clarity: CLARITY });
  });
});
