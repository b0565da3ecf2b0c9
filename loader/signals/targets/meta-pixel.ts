import type { Step, Target } from '../target.js';

const consent = (action: 'grant' | 'revoke'): Step[] => [{ call: 'fbq', args: ['consent', action] }];

/** https://developers.facebook.com/docs/meta-pixel/implementation/gdpr. The pixel's own snippet does nothing where `fbq` exists. */
export const metaPixel: Target = {
  undecided: () => consent('revoke'),
  decided: ({ granted }) => consent(granted.marketing ? 'grant' : 'revoke'),
};
