import type { PricingDto, TierEntryDto } from '../../client/types.gen';
import { formatMoney } from '../../shared/format';
import { StatusLabel } from '../../shared/status-label';
import { t } from '../../i18n/i18n';

export type Interval = 'month' | 'year';

const yesNo = (open: boolean) => (
  <StatusLabel status={open ? 'good' : 'off'}>{open ? t('list.yes') : t('list.no')}</StatusLabel>
);

type Feature = keyof TierEntryDto['features'] | keyof TierEntryDto['limits'];

export const isPlanned = (name: Feature, { planned }: PricingDto): boolean =>
  planned.some((each) => each === name);

/** Marks a feature that is planned but not built yet. */
export function featureTitle(name: Feature, pricing: PricingDto): string {
  const title = t(`plan.features.${name}`);
  return isPlanned(name, pricing) ? t('plan.planned', { feature: title }) : title;
}

/** What a plan will have of a planned feature, without the check mark of a feature that exists. */
export function plannedCell(name: Feature, { features, limits }: TierEntryDto): React.ReactNode {
  if (name === 'pagesPerScan') return limits.pagesPerScan ?? t('plan.contactUs');
  return <StatusLabel status="off">{features[name] ? t('plan.notYet') : t('list.no')}</StatusLabel>;
}

export const FEATURES: [Feature, (tier: TierEntryDto) => React.ReactNode][] = [
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
];

export function monthlyPrice({ price }: TierEntryDto, interval: Interval): string {
  const chosen = interval === 'month' ? price.monthly : price.yearly;
  if (!chosen) return t('plan.contactUs');
  if (chosen.perMonth === 0) return t('plan.free');
  return t('plan.perMonth', { amount: formatMoney(chosen.perMonth, price.currency) });
}
