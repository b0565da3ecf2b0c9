import { Code, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { consentOneOptions } from '../../client/@tanstack/react-query.gen';
import type { ConsentResponse, ProjectResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { languageName } from '../../shared/display-names';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { ProblemAlert } from '../../shared/problem-alert';
import { AbsoluteTime } from '../../shared/timestamps';
import { t, translateCode } from '../../i18n/i18n';
import { RecordRequest } from '../deliveries/record-request';
import type { Sealed } from '../evidence/proof';
import { Categories } from './categories';
import { ChosenServices } from './chosen-services';
import '../../shared/record-drawer.css';
import { ConsentActions } from './consent-actions';
import { ConsentTimeline } from './consent-timeline';
import { WhatWasShown } from './what-was-shown';

/** As long as its delivery is to come, it is looked at again. */
const PENDING_MS = 1_000;
/** Until it is sealed, which takes about a minute. */
const SEALING_MS = 5_000;

/** One record with its deliveries. */
export function ConsentDetails({
  project,
  consentId,
  onErased,
}: {
  project: ProjectResponse;
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
  const record = query.data;
  return (
    <Stack gap="lg">
      <Summary record={record} />
      <ChosenServices projectId={project.id} record={record} />
      <ConsentTimeline project={project} record={record} />
      <WhatWasShown projectId={project.id} record={record} />
      <RecordRequest project={project} record={record} />
      <Facts record={record} />
      <ConsentActions project={project} record={record} onErased={onErased} />
    </Stack>
  );
}

const isPending = (record: ConsentResponse | undefined): boolean =>
  (record?.delivery as { outcome?: string } | null | undefined)?.outcome === 'pending';

const isSealing = (record: ConsentResponse | undefined): boolean =>
  (record?.evidence as Sealed | undefined)?.status === 'pending';

/** The choice, and its time. */
function Summary({ record }: { record: ConsentResponse }) {
  return (
    <div className="record-summary">
      <b>{translateCode('actions', record.action) ?? record.action}</b>
      <Categories record={record} />
      {record.surface === 'signal' && (
        <span className="pill" title={t('consents.gpcHint')}>
          {t('consents.gpc')}
        </span>
      )}
      {record.importId !== null && (
        <span className="pill" title={t('consents.importedHint')}>
          {t('consents.imported')}
        </span>
      )}
      <span className="record-time">
        <AbsoluteTime at={record.givenAt ?? record.receivedAt} />
      </span>
    </div>
  );
}

/** All stored data, for users who need it in full. */
function Facts({ record }: { record: ConsentResponse }) {
  const { id, action, hostname, surface, language, configHash, services, additionalFields, originalId } =
    record;
  const facts = [
    [t('consents.id'), <CopyId key="id" id={id} whole />],
    ...(originalId === null ? [] : [[t('consents.originalId'), originalId] as const]),
    [t('consents.action'), action],
    [t('consents.host'), hostname ?? t('consents.noHost')],
    [t('consents.surface'), surface === null ? t('consents.notProvided') : t(`consents.surfaces.${surface}`)],
    [t('consents.language'), language === null ? t('consents.notProvided') : languageName(language)],
    [
      t('consents.configHash'),
      configHash === null ? t('consents.notProvided') : <CopyId key="hash" id={configHash} whole />,
    ],
    ...(services === null
      ? []
      : [[t('consents.services'), <Code key="services">{JSON.stringify(services)}</Code>] as const]),
  ] as [string, ReactNode][];
  return (
    <details className="record-facts">
      <summary>{t('consents.allFields')}</summary>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(additionalFields).length > 0 && (
        <Code block tabIndex={0} role="region" aria-label={t('consents.additional')} mt="xs">
          {JSON.stringify(additionalFields, null, 2)}
        </Code>
      )}
    </details>
  );
}
