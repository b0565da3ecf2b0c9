import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { forwardingReadOptions } from '../../client/@tanstack/react-query.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { failureSentence } from '../deliveries/outcome';
import { EndpointHealth } from '../deliveries/endpoint-health';
import { UndeliveredNotice } from '../deliveries/undelivered-notice';
import { useProject } from '../../shared/use-project';
import { EndpointTest } from './endpoint-test';
import { ForwardingForm } from './forwarding-form';
import { SampleReceivers } from './sample-receivers';
import { RequestSigning } from './signing';

/** Settings ▸ Consent ▸ Records and archive (spec §2.2). */
export function RecordsAndArchivePage() {
  const project = useProject();
  const query = useQuery(forwardingReadOptions({ path: { projectId: project.id } }));
  if (query.isError)
    return (
      <Page title={t('pages.recordsAndArchive')}>
        <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      </Page>
    );
  const settings = query.data;
  if (!settings)
    return (
      <Page title={t('pages.recordsAndArchive')}>
        <SkeletonRows rows={10} />
      </Page>
    );
  const refusal = checkAccess(project, {
    role: 'editor',
    feature: { open: settings.available, tier: 'Pro' },
  });
  return (
    <Page title={t('pages.recordsAndArchive')}>
      <nav aria-label={t('shell.breadcrumb')} className="crumbs">
        {t('pages.settings')} ▸ {t('pages.consent')} ▸ {t('pages.recordsAndArchive')}
      </nav>
      <Section title={t('forwarding.title')} text={t('forwarding.text')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <ForwardingForm key={project.id} projectId={project.id} settings={settings} />
        </AccessFieldset>
      </Section>
      <Section title={t('forwarding.health')}>
        <UndeliveredNotice projectId={project.id} />
        <EndpointHealth projectId={project.id} />
        {settings.lastFailure && (
          <dl className="facts">
            <dt>{t('forwarding.lastFailure')}</dt>
            <dd>
              {failureSentence(settings.lastFailure)} <AbsoluteTime at={settings.lastFailure.at} />
            </dd>
          </dl>
        )}
      </Section>
      <Section title={t('forwarding.test')} text={t('forwarding.testText')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <EndpointTest projectId={project.id} ready={settings.endpointUrl !== null} />
        </AccessFieldset>
      </Section>
      <Section title={t('forwarding.signing')} text={t('forwarding.signingText')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <RequestSigning projectId={project.id} signing={settings.signing} />
        </AccessFieldset>
      </Section>
      <Section title={t('forwarding.samples')} text={t('forwarding.samplesText')}>
        <SampleReceivers />
        <Anchor href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
          Standard Webhooks
        </Anchor>
      </Section>
    </Page>
  );
}
