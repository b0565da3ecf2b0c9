import { Anchor, Code, List, Stack, Tabs } from '@mantine/core';
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
import { OtherBanners } from './other-banners';

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
        <LastSeen projectId={project.id} />
      </Section>
      <Section title={t('install.guides')}>
        <Tabs defaultValue="html" keepMounted={false}>
          <Tabs.List>
            {(['html', 'tagManager', 'csp', 'own'] as const).map((guide) => (
              <Tabs.Tab key={guide} value={guide}>
                {t(`install.guide.${guide}.title`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {(['html', 'tagManager', 'csp', 'own'] as const).map((guide) => (
            <Tabs.Panel key={guide} value={guide} pt="sm">
              <Stack gap="sm">
                <List type="ordered" size="sm">
                  {([1, 2, 3] as const).map((step) => (
                    <List.Item key={step}>{t(`install.guide.${guide}.steps.${step}`)}</List.Item>
                  ))}
                </List>
                <Sample guide={guide} line={line} />
                {guide === 'own' && <OtherBanners script={script} />}
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Section>
    </Page>
  );
}

function Sample({ guide, line }: { guide: 'html' | 'tagManager' | 'csp' | 'own'; line: string }) {
  const samples = {
    html: `<!doctype html>\n<html lang="en">\n  <head>\n    ${line}\n  </head>`,
    tagManager: line,
    csp: `Content-Security-Policy: script-src 'self' ${location.origin}; connect-src 'self' ${location.origin}`,
    own: `serviceConsent.submit({ analytics: true, marketing: false, preferences: true })`,
  };
  return (
    <Code block tabIndex={0} aria-label={t('install.sample')}>
      {samples[guide]}
    </Code>
  );
}

/** Where the loader was seen; where visits are not counted, where the last record came from. */
function LastSeen({ projectId }: { projectId: string }) {
  const live = { refetchInterval: LIVE_MS };
  const path = { projectId };
  const seen = useQuery({ ...visitLastSeenOptions({ path }), ...live });
  const records = useQuery({ ...consentListOptions({ path, query: { limit: 1 } }), ...live });
  const failed = seen.isError ? seen : records.isError ? records : null;
  if (failed) return <ProblemAlert error={failed.error} retry={() => void failed.refetch()} />;
  if (!seen.data || !records.data) return null;
  const record = records.data.items[0];
  return (
    <Stack gap={4} align="flex-start" role="status">
      {seen.data.items.map(({ hostname, lastSeenAt }) => (
        <StatusLabel key={hostname} status="good">
          <span>
            {t('install.lastSeen')} <RelativeTime at={lastSeenAt} />{' '}
            {t('install.lastSeenOn', { host: hostname })}.
          </span>
        </StatusLabel>
      ))}
      {record && (
        <StatusLabel status="good">
          <span>
            {record.hostname === null
              ? t('install.seen.withoutHost')
              : t('install.seen.withHost', { host: record.hostname })}{' '}
            <RelativeTime at={record.receivedAt} />.
          </span>
        </StatusLabel>
      )}
      {seen.data.items.length === 0 && !record && (
        <StatusLabel status="waiting">{t('install.notDetected')}</StatusLabel>
      )}
      <Anchor href="/docs">{t('shell.apiDocs')}</Anchor>
    </Stack>
  );
}
