import type { ScanResponse } from '../../client/types.gen';
import { Delta } from '../../shared/figure';
import { formatNumber } from '../../shared/format';
import { locale, t } from '../../i18n/i18n';

/** The change since the previous scan, or why a scan has no result. */
export function ScanChange({ scan: { result, reason } }: { scan: ScanResponse }) {
  if (result === null)
    return <span className="quiet">{t(reason ? `scans.reasons.${reason.code}` : 'scans.noResult')}</span>;
  const { change } = result;
  if (change === null) return <span className="quiet">{t('scans.change.first')}</span>;
  const { settled, added, removed } = change;
  const details = [
    ...(added > 0 ? [t('scans.change.added', { count: added })] : []),
    ...(removed > 0 ? [t('scans.change.removed', { count: removed })] : []),
  ];
  return (
    <span className="scan-change">
      {settled !== 0 && (
        <Delta
          trend={{
            text: t(settled > 0 ? 'scans.change.more' : 'scans.change.fewer', {
              count: formatNumber(Math.abs(settled)),
            }),
            direction: settled > 0 ? 'up' : 'down',
            tone: settled > 0 ? 'bad' : 'good',
          }}
        />
      )}
      {settled === 0 && details.length === 0 && (
        <Delta trend={{ text: t('scans.change.none'), direction: 'flat', tone: 'neutral' }} />
      )}
      {details.length > 0 && (
        <span className="quiet">
          {new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(details)}
        </span>
      )}
    </span>
  );
}
