import { shortDay } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import type { FindingGroup } from './finding-groups';

/** When an item had its first finding: in this scan, or on a day before it. */
export function FirstSeen({ group: { findings }, scanId }: { group: FindingGroup; scanId: string }) {
  const { zone } = useZone();
  const [first = ''] = findings.map(({ firstSeenAt }) => firstSeenAt).toSorted();
  const isNew = findings.every(({ firstScanId }) => firstScanId === scanId);
  return isNew ? (
    <span className="pill new-pill">{t('findings.statuses.new')}</span>
  ) : (
    <span className="quiet">{shortDay(new Date(first), zone, locale)}</span>
  );
}
