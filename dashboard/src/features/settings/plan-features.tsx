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

export function monthlyPrice({ price }: TierEntryResponse, interval: Interval): string {
  const chosen = interval === 'month' ? price.monthly : price.yearly;
  if (!chosen) return t('plan.contactUs');
  if (chosen.perMonth === 0) return t('plan.free');
  return t('plan.perMonth', { amount: formatMoney(chosen.perMonth, price.currency) });
}
