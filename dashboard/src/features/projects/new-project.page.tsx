import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ownInvitationListOptions } from '../../client/@tanstack/react-query.gen';
import { projectCreate } from '../../client/sdk.gen';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { OWN_INVITATIONS, OwnInvitations } from '../account/own-invitations';
import { parseDomains, domainErrors } from '../../shared/domains';

export function NewProjectPage() {
  const invitations = useQuery(ownInvitationListOptions(OWN_INVITATIONS)).data?.items ?? [];
  const form = useForm({ initialValues: { name: '', domains: '' } });
  const { name, domains } = form.values;
  const navigate = useNavigate();
  const mutation = useApiMutation({
    form,
    request: async () =>
      (await projectCreate({ body: { name: name.trim(), domains: parseDomains(domains) } })).data,
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
