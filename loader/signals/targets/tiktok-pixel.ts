import type { Target } from '../target.js';

/** Methods of the pixel's base code: https://ads.tiktok.com/help/article/using-cookies-with-tiktok-pixel */
export const tiktokPixel: Target = {
  undecided: () => [{ call: 'ttq.holdConsent', args: [] }],
  decided: ({ granted, isChosen, modes }) => {
    const isAsked = !isChosen && modes.marketing === 'opt_in';
    const refusal = isAsked ? 'ttq.holdConsent' : 'ttq.revokeConsent';
    return [{ call: granted.marketing ? 'ttq.grantConsent' : refusal, args: [] }];
  },
};
