import { stateOf, type Target } from '../target.js';

/** https://help.ads.microsoft.com/apex/index/3/en/60119 */
export const microsoftUet: Target = {
  queue: { name: 'uetq', as: 'array' },
  first: () => [{ call: 'uetq.push', args: ['consent', 'default', { ad_storage: 'denied' }] }],
  decided: ({ granted }) => [
    { call: 'uetq.push', args: ['consent', 'update', { ad_storage: stateOf(granted.marketing) }] },
  ],
};
