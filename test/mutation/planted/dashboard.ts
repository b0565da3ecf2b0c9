import type { Planted } from '../planted.js';

const BROWSER = { project: 'browser' };
const SETTINGS = { ...BROWSER, tests: ['test/dashboard/settings'] };

/** Defects of `dashboard/src`. */
export const DASHBOARD: Planted[] = [
  {
    name: 'dashboard: a receiver that recovered shows bad, one that failed later good',
    mutations: [
      {
        symbol: 'endpointHealth',
        from: /lastFailure\.at > lastDeliveredAt/,
        to: 'lastFailure.at < lastDeliveredAt',
      },
    ],
    tests: ['dashboard/src/features/deliveries/health'],
  },
  {
    name: 'dashboard: the last day of a range is left out',
    mutations: [{ symbol: 'dayRange', from: /dayStart\(to, zone, 1\)/, to: 'dayStart(to, zone)' }],
    tests: ['dashboard/src/shared/time'],
  },
  {
    name: 'dashboard: the last day of the list and the export is left out',
    mutations: [
      {
        symbol: 'consentQuery',
        from: /\.\.\.dayRange\(\{ from, to \}, zone\)/,
        to: '...dayRange({ from, to }, zone), ...(to && { to: `${to}T00:00:00Z` })',
      },
    ],
    ...SETTINGS,
    only: 'exactly as the filters',
  },
  {
    name: 'dashboard: the row of the month shows today',
    mutations: [
      {
        symbol: 'KeyFigures',
        file: 'overview/figures.tsx',
        from: /query\.data\[period\];/,
        to: 'query.data.today;',
      },
    ],
    ...SETTINGS,
    only: 'the figures of the month',
  },
  {
    name: 'dashboard: withdrawing an invitation sends it again',
    mutations: [{ symbol: 'InvitationList', from: /=> invitationWithdraw\(/, to: '=> invitationResend(' }],
    ...SETTINGS,
    only: 'until the invitation is withdrawn',
  },
];
