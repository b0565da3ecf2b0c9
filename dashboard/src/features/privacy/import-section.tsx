import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { importListOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { t } from '../../i18n/i18n';

const ImportSteps = lazy(async () => ({ default: (await import('./import-steps')).ImportSteps }));

/** How long until the page asks again how far a worker is with the file. */
const READING_MS = 1_000;
const WORKING = ['checking', 'running'];

/** Imports consents that another product collected: upload, check, map, import. */
export function ImportSection({ project }: { project: ProjectResponse }) {
  const refusal = checkAccess(project, { role: 'owner' });
  const query = useQuery({
    ...importListOptions({ path: { projectId: project.id }, query: { limit: 1 } }),
    enabled: refusal === null,
    refetchInterval: ({ state }) =>
      WORKING.includes(state.data?.items[0]?.state ?? '') ? READING_MS : false,
  });
  return (
    <Section title={t('imports.title')} text={t('imports.text')} id="import">
      <AccessFieldset refusal={refusal} projectId={project.id}>
        <ProblemAlert error={query.error} retry={() => void query.refetch()} />
        {query.data && (
          <Suspense fallback={<SkeletonRows rows={3} />}>
            <ImportSteps key={project.id} projectId={project.id} latest={query.data.items[0] ?? null} />
          </Suspense>
        )}
      </AccessFieldset>
    </Section>
  );
}
