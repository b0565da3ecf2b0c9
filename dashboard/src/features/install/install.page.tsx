import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  configurationReadOptions,
  consentListOptions,
  visitLastSeenOptions,
} from '../../client/@tanstack/react-query.gen';
import { CopyableCode } from '../../shared/copyable-code';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { StatusLabel } from '../../shared/status-label';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { isPublished } from '../banner/configuration';
import { useProject } from '../../shared/use-project';
import { CustomDomains } from './custom-domains';
import { FirstParty } from './first-party';
import { Guides } from './guides';

const LIVE_MS = 2_000;

export function InstallPage() {
  const project = useProject();
  const script = `${location.origin}/cdn/${project.id}/loader.js`;
  const line = `<script src="${script}"></script>`;
  const publication = useQuery(configurationReadOptions({ path: { projectId: project.id } }));
  return (
    <Page title={t('pages.install')}>
      <Section title={t('install.scriptTag')} text={t('install.scriptTagText')}>
        <CopyableCode text={line} label={t('install.scriptTag')} />
        <ProblemAlert error={publication.error} retry={() => void publication.refetch()} />
        {publication.data && !isPublished(publication.data) && (
          <StatusLabel status="waiting">{t('install.notPublished')}</StatusLabel>
        )}
      </Section>
      <Section title={t('install.check')} text={t('install.checkText')}>
        <LastSeen
          projectId={project.id}
          hasBanner={publication.data !== undefined && isPublished(publication.data)}
        />
      </Section>
      <Section title={t('install.guides')}>
        <Guides script={script} line={line} />
      </Section>
      <FirstParty />
      <CustomDomains />
    </Page>
  );
}

/**
 * Where the loader was seen; where visits are not counted, where the last record came from. Installed means that
 * visitors see a banner, so one must be published.
 */
function LastSeen({ projectId, hasBanner }: { projectId: string; hasBanner: boolean }) {
  const live = { refetchInterval: LIVE_MS };
  const path = { projectId };
  const seen = useQuery({ ...visitLastSeenOptions({ path }), ...live });
  const records = useQuery({ ...consentListOptions({ path, query: { limit: 1 } }), ...live });
  const failed = seen.isError ? seen : records.isError ? records : null;
  if (failed) return <ProblemAlert error={failed.error} retry={() => void failed.refetch()} />;
  if (!seen.data || !records.data) return null;
  const record = records.data.items[0];
  const status = hasBanner ? 'good' : 'waiting';
  const latest = hasBanner ? 'install.seen' : 'install.latest';
  return (
    <Stack gap={4} align="flex-start" role="status">
      {seen.data.items.map(({ hostname, lastSeenAt }) => (
        <StatusLabel key={hostname} status={status}>
          <span>
            {t(hasBanner ? 'install.lastSeen' : 'install.scriptSeen')} <RelativeTime at={lastSeenAt} />{' '}
            {t('install.lastSeenOn', { host: hostname })}.
          </span>
        </StatusLabel>
      ))}
      {record && (
        <StatusLabel status={status}>
          <span>
            {record.hostname === null
              ? t(`${latest}.withoutHost`)
              : t(`${latest}.withHost`, { host: record.hostname })}{' '}
            <RelativeTime at={record.receivedAt} />.
          </span>
        </StatusLabel>
      )}
      {seen.data.items.length === 0 && !record && (
        <StatusLabel status="waiting">{t('install.notDetected')}</StatusLabel>
      )}
    </Stack>
  );
}
