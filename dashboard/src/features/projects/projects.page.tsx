import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ButtonLink } from '../../shared/button-link';
import { EmptyState } from '../../shared/empty-state';
import { Page } from '../../shared/page';
import { useZone } from '../../shared/zone';
import { loadPageMessages, t } from '../../i18n/i18n';
import { OrganizationLinks } from '../organizations/organization-links';
import { WithheldNotice } from './attention-notice';
import { selectProjects } from './project-health';
import { ProjectList } from './project-list';
import { useStatuses } from './queries';

const route = getRouteApi('/signed-in/projects');
// Both show changes of banners in the words of that page.
const CopyBannerDialog = lazy(async () => {
  await loadPageMessages('banner');
  return { default: (await import('./dialogs')).CopyBannerDialog };
});
const PublishDraftsDialog = lazy(async () => {
  await loadPageMessages('banner');
  return { default: (await import('./dialogs')).PublishDraftsDialog };
});

/** Every project of the person, the ones that need attention first. */
export function ProjectsPage() {
  const { now } = useZone();
  const [copies, copyDialog] = useDisclosure(false);
  const [publishes, publishDialog] = useDisclosure(false);
  const statuses = useStatuses();
  const { query, projects, withheld } = statuses;
  const drafts = selectProjects(projects, { sort: 'name', banner: 'draft' }, now).filter(
    ({ role }) => role !== 'viewer',
  );
  return (
    <Page
      title={t('projects.title')}
      count={query.data && projects.length}
      subtitle={<OrganizationLinks />}
      actions={
        <>
          {drafts.length > 0 && (
            <Button variant="default" onClick={publishDialog.open}>
              {t('projects.publishDrafts', { count: drafts.length })}
            </Button>
          )}
          <Button variant="default" onClick={copyDialog.open} disabled={projects.length < 2}>
            {t('projects.copyBanner')}
          </Button>
          <Button component={Link} to="/new-project">
            {t('shell.newProject')}
          </Button>
        </>
      }
    >
      <WithheldNotice projects={withheld} />
      <ProjectList
        label={t('projects.title')}
        projects={projects}
        search={route.useSearch()}
        statuses={statuses}
        empty={
          <EmptyState
            title={t('projects.none')}
            text={t('projects.noneText')}
            action={<ButtonLink to="/new-project">{t('shell.newProject')}</ButtonLink>}
          />
        }
      />
      {publishes && (
        <Suspense>
          <PublishDraftsDialog drafts={drafts} onClose={publishDialog.close} />
        </Suspense>
      )}
      {copies && (
        <Suspense>
          <CopyBannerDialog projects={projects} onClose={copyDialog.close} />
        </Suspense>
      )}
    </Page>
  );
}
