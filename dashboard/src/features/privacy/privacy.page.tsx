import { useQuery } from '@tanstack/react-query';
import { privacyReadOptions } from '../../client/@tanstack/react-query.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { FindVisitor } from './find-visitor';
import { ImportSection } from './import-section';
import { IdentifierForm } from './identifier-form';

/** How long until the page asks again how far a worker is with the stored records. */
const INDEXING_MS = 2_000;

/** Finding, exporting and erasing the stored data of one visitor. */
export function PrivacyPage() {
  const project = useProject();
  const query = useQuery({
    ...privacyReadOptions({ path: { projectId: project.id } }),
    refetchInterval: ({ state }) => (state.data?.indexing ? INDEXING_MS : false),
  });
  return (
    <Page title={t('pages.privacy')}>
      {query.isError && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <SkeletonRows rows={6} />}
      {query.data && (
        <>
          <FindVisitor project={project} privacy={query.data} />
          <Section title={t('privacy.identifier')} text={t('privacy.identifierText')}>
            <AccessFieldset refusal={checkAccess(project, { role: 'owner' })} projectId={project.id}>
              <IdentifierForm key={project.id} projectId={project.id} privacy={query.data} />
            </AccessFieldset>
          </Section>
          <ImportSection project={project} />
        </>
      )}
    </Page>
  );
}
