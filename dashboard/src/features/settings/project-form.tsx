import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, etagFor } from '../../api/etags';
import { projectUpdate } from '../../client/sdk.gen';
import { projectReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { parseDomains, domainErrors } from '../../shared/domains';

export function ProjectForm({ project }: { project: ProjectResponse }) {
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
