import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client';
import { organizationReadOptions } from '../../client/@tanstack/react-query.gen';
import { organizationRemove, organizationRename } from '../../client/sdk.gen';
import type { OrganizationResponse } from '../../client/types.gen';
import { ConfirmByNameDialog } from '../../shared/confirm-by-name-dialog';
import { CopyId } from '../../shared/copy-id';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { AbsoluteTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { AdminFieldset } from './admin-fieldset';
import { rolesText } from './roles-text';
import { useOrganization } from './use-organization';

export function OrganizationSettingsPage() {
  const organization = useOrganization();
  return (
    <Page title={t('pages.settings')} subtitle={<VisibleText text={organization.name} />}>
      <Section title={t('project.general')}>
        <dl className="facts">
          <dt>{t('organizations.id')}</dt>
          <dd>
            <CopyId id={organization.id} whole />
          </dd>
          <dt>{t('project.created')}</dt>
          <dd>
            <AbsoluteTime at={organization.createdAt} />
          </dd>
          <dt>{t('project.yourRole')}</dt>
          <dd>{rolesText(organization)}</dd>
        </dl>
        <AdminFieldset organization={organization}>
          <RenameForm key={organization.id} organization={organization} />
        </AdminFieldset>
      </Section>
      <Section title={t('organizations.delete')} text={t('organizations.deleteText')}>
        <AdminFieldset organization={organization}>
          <DeleteOrganization organization={organization} />
        </AdminFieldset>
      </Section>
    </Page>
  );
}

function RenameForm({ organization: { id, name } }: { organization: OrganizationResponse }) {
  const form = useForm({ initialValues: { name } });
  const path = { organizationId: id };
  const mutation = useApiMutation({
    form,
    request: async () => (await organizationRename({ path, body: { name: form.values.name.trim() } })).data,
    successMessage: t('shared.saved'),
    invalidates: ['organizationList'],
    onSuccess: (renamed) => queryClient.setQueryData(organizationReadOptions({ path }).queryKey, renamed),
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm" maw={520}>
        <TextInput label={t('newProject.name')} required maxLength={120} {...form.getInputProps('name')} />
        <ProblemAlert error={mutation.error} />
        <div>
          <Button type="submit" loading={mutation.isPending}>
            {t('shared.save')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function DeleteOrganization({ organization: { id, name } }: { organization: OrganizationResponse }) {
  const [opened, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const mutation = useApiMutation({
    request: async () => (await organizationRemove({ path: { organizationId: id } })).data,
    successMessage: t('organizations.deleted', { name }),
    onSuccess: async () => {
      await navigate({ to: '/projects' });
      queryClient.removeQueries({
        queryKey: organizationReadOptions({ path: { organizationId: id } }).queryKey,
      });
      await queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="outline" onClick={dialog.open}>
        {t('organizations.delete')}
      </Button>
      <ConfirmByNameDialog
        opened={opened}
        onClose={dialog.close}
        title={t('organizations.delete')}
        text={t('organizations.deleteConfirm')}
        name={name}
        confirmLabel={t('organizations.delete')}
        isPending={mutation.isPending}
        error={mutation.error}
        onConfirm={() => mutation.mutate(undefined)}
      />
    </>
  );
}
