import { AccessFieldset, checkAccess } from '../../shared/access';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { CreateKeyForm } from './create-key-form';
import { KeyList } from './key-list';

export function ApiKeysPage() {
  const project = useProject();
  const refusal = checkAccess(project, { role: 'owner' });
  return (
    <Page title={t('pages.apiKeys')}>
      <Section title={t('apiKeys.create')} text={t('apiKeys.createText')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <CreateKeyForm projectId={project.id} />
        </AccessFieldset>
      </Section>
      {/* Only owners may list keys. */}
      {refusal === null && <KeyList projectId={project.id} />}
    </Page>
  );
}
