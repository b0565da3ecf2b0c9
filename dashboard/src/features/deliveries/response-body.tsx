import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { PlainText } from './plain-text';

/** The stored beginning of a failed attempt's response body, read when it is opened. */
export function ResponseBody({
  project,
  attemptId,
  load,
  hint,
}: {
  project: ProjectResponse;
  attemptId: string;
  load: () => Promise<string | null>;
  /** How long it is kept. */
  hint: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const refusal = checkAccess(project, { role: 'editor' });
  const query = useQuery({
    queryKey: ['responseBody', attemptId],
    queryFn: load,
    enabled: isOpen && refusal === null,
  });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('deliveries.responseBody')}</summary>
      <AccessNote refusal={refusal} projectId={project.id} />
      <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      {query.isSuccess && (
        <>
          {query.data ? (
            <PlainText label={t('deliveries.responseBody')} text={query.data} />
          ) : (
            <Text>{t('deliveries.responseBodyEmpty')}</Text>
          )}
          <Text c="dimmed">{hint}</Text>
        </>
      )}
    </details>
  );
}
