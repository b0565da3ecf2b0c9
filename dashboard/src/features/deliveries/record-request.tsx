import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { forwardingReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ConsentResponse, ProjectResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { PlainText } from './plain-text';
import { requestBody } from './request-body';
import { isCurrentEndpoint, requestHeaders, requestLine } from './request-headers';
import { useAttempts } from './use-attempts';

/** The request of a record's latest attempt, without its secrets; empty if none was sent. */
export function RecordRequest({ project, record }: { project: ProjectResponse; record: ConsentResponse }) {
  const { data: settings } = useQuery(forwardingReadOptions({ path: { projectId: project.id } }));
  const attempts = useAttempts(project.id, record).data?.items ?? [];
  const attempt = attempts.find(({ outcome, host }) => outcome !== 'skipped' && host !== null);
  if (!settings || !attempt) return null;
  const headers = requestHeaders(record.projectId, attempt, settings);
  const head = [requestLine(attempt, settings), ...headers.map(([name, value]) => `${name}: ${value}`)];
  return (
    <section aria-label={t('deliveries.requestSent')} className="record-part">
      <Title order={3}>{t('deliveries.request')}</Title>
      <PlainText
        label={t('deliveries.request')}
        text={`${head.join('\n')}\n\n${JSON.stringify(requestBody(record), null, 2)}`}
      />
      <Text c="dimmed" size="xs">
        {isCurrentEndpoint(attempt, settings)
          ? t('deliveries.requestCurrent')
          : t('deliveries.requestUnknown')}{' '}
        {isSealed(record) && t('deliveries.requestEvidence')}
      </Text>
    </section>
  );
}

/** Whether the record is stored with a salt, so that its receiver gets evidence beside it. */
function isSealed({ evidence }: ConsentResponse): boolean {
  const { status } = (evidence ?? {}) as { status?: string };
  return status === 'pending' || status === 'sealed';
}
