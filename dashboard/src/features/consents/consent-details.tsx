import { Code, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { consentOneOptions } from '../../client/@tanstack/react-query.gen';
import type { ConsentView, ProjectDto } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { AbsoluteTime } from '../../shared/timestamps';
import { t, translateCode } from '../../i18n/i18n';
import { languageName } from '../../shared/display-names';
import { ShownBanner } from '../banner/shown-banner';
import { DeliveryHistory } from '../deliveries/delivery-history';
import { Proof, type Sealed } from '../evidence/proof';
import { EraseRecord } from '../privacy/erase-record';
import type { Flag } from './filters';

const FLAGS: Flag[] = ['analytics', 'marketing', 'preferences'];
/** As long as its delivery is to come, it is looked at again. */
const PENDING_MS = 1_000;
/** As long as it is to be sealed, which takes about a minute. */
const SEALING_MS = 5_000;

/** One record and what became of it. */
export function ConsentDetails({
  project,
  consentId,
  onErased,
}: {
  project: ProjectDto;
  consentId: string;
  onErased: () => void;
}) {
  const query = useQuery({
    ...consentOneOptions({ path: { projectId: project.id, consentId } }),
    refetchInterval: ({ state }) =>
      isPending(state.data) ? PENDING_MS : isSealing(state.data) && SEALING_MS,
  });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={8} />;
  return (
    <Stack gap="lg">
      <Record record={query.data} />
      <DeliveryHistory project={project} record={query.data} />
      <WhatWasShown projectId={project.id} record={query.data} />
      <Proof projectId={project.id} record={query.data} />
      <EraseRecord project={project} consentId={consentId} onErased={onErased} />
    </Stack>
  );
}

/** The banner that the visitor saw, in their language and region as far as the record has them. */
function WhatWasShown({ projectId, record }: { projectId: string; record: ConsentView }) {
  if (record.configHash === null)
    return (
      <section aria-label={t('banner.bannerShown')}>
        <Title order={3}>{t('banner.bannerShown')}</Title>
        <Text>{t('banner.noHash')}</Text>
      </section>
    );
  const { id, analytics, marketing, preferences, additionalFields, surface } = record;
  const { region } = additionalFields;
  const onSecondLayer = surface === 'preferences' || surface === 'link';
  return (
    <ShownBanner
      projectId={projectId}
      configHash={record.configHash}
      language={record.language}
      {...(typeof region === 'string' && { region })}
      {...(onSecondLayer && { choice: { id, analytics, marketing, preferences } })}
    />
  );
}

const isPending = (record: ConsentView | undefined): boolean =>
  (record?.delivery as { outcome?: string } | null | undefined)?.outcome === 'pending';

const isSealing = (record: ConsentView | undefined): boolean =>
  (record?.evidence as Sealed | undefined)?.status === 'pending';

function Record({ record }: { record: ConsentView }) {
  const additional = Object.entries(record.additionalFields);
  return (
    <section aria-label={t('consents.record')}>
      <dl className="facts">
        <dt>{t('consents.id')}</dt>
        <dd>
          <CopyId id={record.id} whole />
        </dd>
        <dt>{t('consents.received')}</dt>
        <dd>
          <AbsoluteTime at={record.receivedAt} />
        </dd>
        <dt>{t('consents.action')}</dt>
        <dd>{translateCode('actions', record.action) ?? record.action}</dd>
        <dt>{t('consents.host')}</dt>
        <dd>{record.hostname ?? t('consents.noHost')}</dd>
        <dt>{t('consents.surface')}</dt>
        <dd>
          {record.surface === null ? t('consents.notProvided') : t(`consents.surfaces.${record.surface}`)}
        </dd>
        <dt>{t('consents.language')}</dt>
        <dd>{record.language === null ? t('consents.notProvided') : languageName(record.language)}</dd>
        <dt>{t('consents.configHash')}</dt>
        <dd>{record.configHash === null ? t('consents.notProvided') : <CopyId id={record.configHash} />}</dd>
        {FLAGS.map((flag) => (
          <div key={flag} style={{ display: 'contents' }}>
            <dt>{t(`categories.${flag}`)}</dt>
            <dd>
              <StatusLabel status={record[flag] ? 'good' : 'off'}>
                {record[flag] ? t('consents.granted') : t('consents.denied')}
              </StatusLabel>
            </dd>
          </div>
        ))}
      </dl>
      {additional.length > 0 && (
        <>
          <Title order={3} mt="md" mb={4}>
            {t('consents.additional')}
          </Title>
          <Code block tabIndex={0} aria-label={t('consents.additional')}>
            {JSON.stringify(record.additionalFields, null, 2)}
          </Code>
        </>
      )}
    </section>
  );
}
