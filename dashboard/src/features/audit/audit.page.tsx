import { Button } from '@mantine/core';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { ProjectAuditLog } from './project-audit-log';

export function AuditPage() {
  const project = useProject();
  const refusal = checkAccess(project, { role: 'owner' });
  // Only owners may read the audit log.
  if (refusal === null) return <ProjectAuditLog project={project} />;
  return (
    <Page title={t('pages.audit')}>
      <Section title={t('audit.list')} text={t('audit.text')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <Button variant="default">{t('audit.export')}</Button>
        </AccessFieldset>
      </Section>
    </Page>
  );
}
