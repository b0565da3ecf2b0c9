import type { TierEntryResponse } from '../../client/types.gen';
import { formatMoney } from '../../shared/format';
import { StatusLabel } from '../../shared/status-label';
import { t } from '../../i18n/i18n';

export type Interval = 'month' | 'year';

const yesNo = (open: boolean) => (
  <StatusLabel status={open ? 'good' : 'off'}>{open ? t('list.yes') : t('list.no')}</StatusLabel>
);

type Feature = keyof TierEntryResponse['features'] | keyof TierEntryResponse['limits'];

export const FEATURES: [Feature, (tier: TierEntryResponse) => React.ReactNode][] = [
  ['consentForwarding', ({ features }) => yesNo(features.consentForwarding)],
  ['export', ({ features }) => yesNo(features.export)],
  ['analytics', ({ features }) => yesNo(features.analytics)],
  [
    'geoTargeting',
    ({ features }) => (features.geoTargeting === 'full' ? yesNo(true) : t('plan.features.globalOnly')),
  ],
  ['customDomains', ({ features }) => yesNo(features.customDomains)],
  ['scheduledScans', ({ features }) => yesNo(features.scheduledScans)],
  ['pagesPerScan', ({ limits }) => limits.pagesPerScan ?? t('plan.contactUs')],
  ['scansPerDay', ({ limits }) => limits.scansPerDay],
];

/** The additions of a plan to the one below it, in words. `withoutDomains`: the server has none to offer. */
export function addedFeatures(
  { features, limits }: TierEntryResponse,
  lower: TierEntryResponse | undefined,
  withoutDomains: boolean,
): string[] {
  const added = (
    ['consentForwarding', 'export', 'analytics', 'geoTargeting', 'customDomains', 'scheduledScans'] as const
  ).filter((name) => features[name] !== false && features[name] !== lower?.features[name]);
  return [
    ...(lower ? [] : [t('plan.unlimited')]),
    ...added.map((name) => {
      if (features[name] === 'global') return t('plan.features.oneRule');
      const words = t(`plan.features.${name}`);
      return name === 'customDomains' && withoutDomains ? `${words} (${t('plan.notSetUpShort')})` : words;
    }),
    ...(limits.pagesPerScan === null
      ? []
      : [t('plan.scans', { pages: limits.pagesPerScan, scans: limits.scansPerDay })]),
  ];
}

interface PlanPrice {
  amount: string;
  /** Behind the amount; null: it is free, or by agreement. */
  unit: string | null;
  /** The billed amount. */
  note: string;
}

/** The price of a month, and the billed amount. */
export function planPrice({ price }: TierEntryResponse, interval: Interval): PlanPrice {
  const chosen = interval === 'month' ? price.monthly : price.yearly;
  if (!chosen) return { amount: t('plan.contactUs'), unit: null, note: '' };
  const money = (minor: number) => formatMoney(minor, price.currency);
  if (chosen.perMonth === 0) return { amount: money(0), unit: null, note: t('plan.freeNote') };
  return {
    amount: money(chosen.perMonth),
    unit: t('plan.perMonthUnit'),
    note:
      interval === 'month'
        ? t('plan.billedMonthly', { month: money(price.yearly?.perMonth ?? chosen.perMonth) })
        : t('plan.billedYearly', { year: money(chosen.perYear) }),
  };
}

/** Percent that a year costs less than twelve months. */
export function yearlySaving({ price: { monthly, yearly } }: TierEntryResponse): number {
  if (!monthly || !yearly || monthly.perYear === 0) return 0;
  return Math.floor(100 * (1 - yearly.perYear / monthly.perYear));
}

export function monthlyPrice(tier: TierEntryResponse, interval: Interval): string {
  const { amount, unit } = planPrice(tier, interval);
  return unit === null ? amount : `${amount} ${unit}`;
}
