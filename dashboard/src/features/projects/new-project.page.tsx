import { Button, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { projectCreate } from '../../client/sdk.gen';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { OWN_INVITATION_LIST } from '../account/own-invitation-list';
import { OwnInvitations } from '../account/own-invitations';
import { useOrganizations } from '../organizations/organization-list';
import { parseDomains, domainErrors } from '../../shared/domains';

const route = getRouteApi('/signed-in/new-project');

export function NewProjectPage() {
  const invitations = useQuery(OWN_INVITATION_LIST).data?.items ?? [];
  const { organization = '' } = route.useSearch();
  const form = useForm({ initialValues: { name: '', domains: '', organizationId: organization } });
  const { name, domains, organizationId } = form.values;
  const administered = useOrganizations().filter(({ role }) => role === 'admin');
  const navigate = useNavigate();
  const mutation = useApiMutation({
    form,
    request: async () =>
      (
        await projectCreate({
          body: {
            name: name.trim(),
            domains: parseDomains(domains),
            organizationId: organizationId || null,
          },
        })
      ).data,
    invalidates: ['projectList'],
    onSuccess: ({ id }) => void navigate({ to: '/projects/$projectId', params: { projectId: id } }),
  });
  return (
    <Page title={t('newProject.title')}>
      {invitations.length > 0 && (
        <Section title={t('invitation.list')} text={t('invitation.listText')}>
          <OwnInvitations />
        </Section>
      )}
      <Section title={t('newProject.site')} text={t('newProject.text')}>
        <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
          <Stack gap="sm" maw={520}>
            <TextInput
              label={t('newProject.name')}
              placeholder={t('newProject.namePlaceholder')}
              required
              autoFocus
              {...form.getInputProps('name')}
            />
            <Textarea
              label={t('newProject.domains')}
              description={t('newProject.domainsHint')}
              placeholder="www.example.com"
              autosize
              minRows={2}
              {...form.getInputProps('domains')}
              error={domainErrors(mutation.fieldErrors, parseDomains(domains))}
            />
            {administered.length > 0 && (
              <NativeSelect
                label={t('organizations.organization')}
                description={t('organizations.newProjectHint')}
                {...form.getInputProps('organizationId')}
                data={[
                  { value: '', label: t('organizations.noOrganization') },
                  ...administered.map(({ id, name: label }) => ({ value: id, label })),
                ]}
              />
            )}
            <ProblemAlert error={mutation.error} />
            <div>
              <Button type="submit" size="sm" loading={mutation.isPending}>
                {t('newProject.submit')}
              </Button>
            </div>
          </Stack>
        </form>
      </Section>
    </Page>
  );
}
