import { useQuery } from '@tanstack/react-query';
import { AnchorLink } from '../../shared/anchor-link';
import { DataTable } from '../../shared/data-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { consentColumns, consentPhoneColumns } from '../consents/columns';
import { LAST_RECORDS, overviewQueries } from './queries';

/** A record shows within 2 s of its 201. */
const LIVE_MS = 1_000;

/** The newest records, as they arrive. */
export function LatestRecords(props: { projectId: string; hasDelivery: boolean }) {
  const { projectId } = props;
  return (
    <Section
      title={t('overview.latestRecords')}
      mark={<span className="pill live">{t('overview.live')}</span>}
      aside={
        <AnchorLink to="/projects/$projectId/consents" params={{ projectId }} className="more">
          {t('overview.allConsents')}
        </AnchorLink>
      }
    >
      <Records {...props} />
    </Section>
  );
}

function Records({ projectId, hasDelivery }: { projectId: string; hasDelivery: boolean }) {
  const { zone } = useZone();
  const query = useQuery({ ...overviewQueries(projectId, zone).records, refetchInterval: LIVE_MS });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={LAST_RECORDS + 1} />;
  return (
    <DataTable
      label={t('overview.latestRecords')}
      items={query.data.items}
      columns={consentColumns(hasDelivery)}
      phoneColumns={consentPhoneColumns(hasDelivery)}
      rowKey={({ id }) => id}
    />
  );
}
