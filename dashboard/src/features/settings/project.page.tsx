import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, etagFor } from '../../api/etags';
import { projectRemove, projectUpdate } from '../../client/sdk.gen';
import { projectReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ConfirmByNameDialog } from '../../shared/confirm-by-name-dialog';
import { CopyId } from '../../shared/copy-id';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { parseDomains, domainErrors } from '../../shared/domains';
import { useProject } from '../../shared/use-project';

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
          <GeneralForm key={project.id} project={project} />
        </AccessFieldset>
      </Section>
      <Section title={t('project.danger')} text={t('project.dangerText')}>
        <AccessFieldset refusal={checkAccess(project, { role: 'owner' })} projectId={project.id}>
          <Deletion project={project} />
        </AccessFieldset>
      </Section>
    </Page>
  );
}

function GeneralForm({ project }: { project: ProjectDto }) {
  const form = useForm({
    initialValues: {
      name: project.name,
      domains: project.domains.join('\n'),
      controllerName: project.controllerName ?? '',
      controllerContact: project.controllerContact ?? '',
    },
  });
  const { name, domains, controllerName, controllerContact } = form.values;
  const [basedOn, setBasedOn] = useState(() => etagFor(project.id));
  const path = { projectId: project.id };
  const mutation = useApiMutation({
    form,
    request: async () =>
      (
        await projectUpdate({
          path,
          headers: ifMatch(basedOn),
          body: {
            name: name.trim(),
            domains: parseDomains(domains),
            controllerName: controllerName.trim() || null,
            controllerContact: controllerContact.trim() || null,
          },
        })
      ).data,
    successMessage: t('shared.saved'),
    invalidates: ['projectList'],
    onSuccess: (changed) => {
      queryClient.setQueryData(projectReadOptions({ path }).queryKey, changed);
      form.setFieldValue('domains', changed.domains.join('\n'));
      setBasedOn(etagFor(project.id));
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm" maw={520}>
        <TextInput label={t('newProject.name')} required {...form.getInputProps('name')} />
        <Textarea
          label={t('newProject.domains')}
          description={t('newProject.domainsHint')}
          autosize
          minRows={2}
          {...form.getInputProps('domains')}
          error={domainErrors(mutation.fieldErrors, parseDomains(domains))}
        />
        <TextInput
          label={t('project.controllerName')}
          description={t('project.controllerHint')}
          maxLength={200}
          {...form.getInputProps('controllerName')}
        />
        <TextInput
          label={t('project.controllerContact')}
          description={t('project.controllerContactHint')}
          maxLength={200}
          {...form.getInputProps('controllerContact')}
        />
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

function Deletion({ project }: { project: ProjectDto }) {
  const [opened, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const mutation = useApiMutation({
    request: async () => (await projectRemove({ path: { projectId: project.id } })).data,
    successMessage: t('project.deleted', { name: project.name }),
    onSuccess: async () => {
      await navigate({ to: '/new-project' });
      queryClient.removeQueries({
        queryKey: projectReadOptions({ path: { projectId: project.id } }).queryKey,
      });
      await queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="outline" onClick={dialog.open}>
        {t('project.delete')}
      </Button>
      <ConfirmByNameDialog
        opened={opened}
        onClose={dialog.close}
        title={t('project.delete')}
        text={t('project.deleteText')}
        name={project.name}
        confirmLabel={t('project.deleteNow')}
        isPending={mutation.isPending}
        error={mutation.error}
        onConfirm={() => mutation.mutate(undefined)}
      />
    </>
  );
}
