import { useQuery } from '@tanstack/react-query';
import { deliveryUndeliveredCountOptions } from '../client/@tanstack/react-query.gen';
import { t } from '../i18n/i18n';
import { formatNumber } from '../shared/format';
import { VisuallyHidden } from '../shared/visually-hidden';

const LIVE_MS = 30_000;

/** How many records were not delivered, in the navigation of every page; nothing where all were. */
export function UndeliveredCount({ projectId }: { projectId: string }) {
  const path = { projectId };
  const { data } = useQuery({ ...deliveryUndeliveredCountOptions({ path }), refetchInterval: LIVE_MS });
  if (!data || data.records === 0) return null;
  return (
    <span className="count">
      {formatNumber(data.records)}
      {data.more && '+'}
      <VisuallyHidden>{t('health.undeliveredRecords')}</VisuallyHidden>
    </span>
  );
}
