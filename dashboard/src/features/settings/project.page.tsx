import { AccessFieldset, checkAccess } from '../../shared/access';
import { CopyId } from '../../shared/copy-id';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { ProjectOrganization } from '../organizations/project-organization';
import { ProjectForm } from './project-form';
import { DeleteProject } from './delete-project';

export function ProjectSettingsPage() {
  const project = useProject();
  return (
    <Page title={t('pages.project')}>
      <Section title={t('project.general')}>
        <dl className="facts">
          <dt>{t('project.id')}</dt>
          <dd>
            <CopyId id={project.id} whole />
          </dd>
          <dt>{t('project.created')}</dt>
          <dd>
            <AbsoluteTime at={project.createdAt} />
          </dd>
          <dt>{t('project.yourRole')}</dt>
          <dd>{t(`roles.${project.role}`)}</dd>
        </dl>
        <AccessFieldset refusal={checkAccess(project, { role: 'editor' })} projectId={project.id}>
          <ProjectForm key={project.id} project={project} />
        </AccessFieldset>
      </Section>
      <ProjectOrganization project={project} />
      <Section title={t('project.danger')} text={t('project.dangerText')}>
        <AccessFieldset refusal={checkAccess(project, { role: 'owner' })} projectId={project.id}>
          <DeleteProject project={project} />
        </AccessFieldset>
      </Section>
    </Page>
  );
}
