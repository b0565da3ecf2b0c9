import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { organizationCreate } from '../../client/sdk.gen';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

export function NewOrganizationPage() {
  const form = useForm({ initialValues: { name: '' } });
  const navigate = useNavigate();
  const mutation = useApiMutation({
    form,
    request: async () => (await organizationCreate({ body: { name: form.values.name.trim() } })).data,
    invalidates: ['organizationList'],
    onSuccess: ({ id }) =>
      void navigate({ to: '/organizations/$organizationId', params: { organizationId: id } }),
  });
  return (
    <Page title={t('shell.newOrganization')}>
      <Section title={t('organizations.organization')} text={t('organizations.createText')}>
        <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
          <Stack gap="sm" maw={520}>
            <TextInput
              label={t('newProject.name')}
              placeholder={t('organizations.namePlaceholder')}
              required
              autoFocus
              maxLength={120}
              {...form.getInputProps('name')}
            />
            <Text c="dimmed">{t('organizations.createNext')}</Text>
            <ProblemAlert error={mutation.error} />
            <div>
              <Button type="submit" size="sm" loading={mutation.isPending}>
                {t('organizations.create')}
              </Button>
            </div>
          </Stack>
        </form>
      </Section>
    </Page>
  );
}
