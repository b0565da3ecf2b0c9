import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, tagOf } from '../../api/tags';
import { projectRemove, projectUpdate } from '../../client/sdk.gen';
import { projectReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectDto } from '../../client/types.gen';
import { Allowed, refusalOf } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { CopyId } from '../../shared/copy-id';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useAct } from '../../shared/use-act';
import { Instant } from '../../shared/when';
import { t } from '../../i18n/i18n';
import { domainsOf, refusedDomains } from '../../shared/domains';
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
            <Instant at={project.createdAt} />
          </dd>
          <dt>{t('project.yourRole')}</dt>
          <dd>{t(`roles.${project.role}`)}</dd>
        </dl>
        <Allowed refusal={refusalOf(project, { role: 'editor' })} projectId={project.id}>
          <GeneralForm key={project.id} project={project} />
        </Allowed>
      </Section>
      <Section title={t('project.danger')} text={t('project.dangerText')}>
        <Allowed refusal={refusalOf(project, { role: 'owner' })} projectId={project.id}>
          <Deletion project={project} />
        </Allowed>
      </Section>
    </Page>
  );
}

function GeneralForm({ project }: { project: ProjectDto }) {
  const [name, setName] = useState(project.name);
  const [domains, setDomains] = useState(project.domains.join('\n'));
  const [controllerName, setControllerName] = useState(project.controllerName ?? '');
  const [controllerContact, setControllerContact] = useState(project.controllerContact ?? '');
  const [basedOn, setBasedOn] = useState(() => tagOf(project.id));
  const path = { projectId: project.id };
  const act = useAct({
    run: async () =>
      (
        await projectUpdate({
          path,
          headers: ifMatch(basedOn),
          body: {
            name: name.trim(),
            domains: domainsOf(domains),
            controllerName: controllerName.trim() || null,
            controllerContact: controllerContact.trim() || null,
          },
        })
      ).data,
    done: t('shared.saved'),
    refreshes: ['projectList'],
    then: (changed) => {
      queryClient.setQueryData(projectReadOptions({ path }).queryKey, changed);
      setDomains(changed.domains.join('\n'));
      setBasedOn(tagOf(project.id));
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
      }}
    >
      <Stack gap="sm" maw={520}>
        <TextInput
          label={t('newProject.name')}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={act.fields['name']}
        />
        <Textarea
          label={t('newProject.domains')}
          description={t('newProject.domainsHint')}
          autosize
          minRows={2}
          value={domains}
          onChange={(event) => setDomains(event.currentTarget.value)}
          error={refusedDomains(act.fields, domainsOf(domains))}
        />
        <TextInput
          label={t('project.controllerName')}
          description={t('project.controllerHint')}
          maxLength={200}
          value={controllerName}
          onChange={(event) => setControllerName(event.currentTarget.value)}
          error={act.fields['controllerName']}
        />
        <TextInput
          label={t('project.controllerContact')}
          description={t('project.controllerContactHint')}
          maxLength={200}
          value={controllerContact}
          onChange={(event) => setControllerContact(event.currentTarget.value)}
          error={act.fields['controllerContact']}
        />
        <ProblemAlert error={act.error} />
        <div>
          <Button type="submit" loading={act.pending}>
            {t('shared.save')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Deletion({ project }: { project: ProjectDto }) {
  const [opened, box] = useDisclosure(false);
  const navigate = useNavigate();
  const act = useAct({
    run: async () => (await projectRemove({ path: { projectId: project.id } })).data,
    done: t('project.deleted', { name: project.name }),
    then: async () => {
      await navigate({ to: '/new-project' });
      queryClient.removeQueries({
        queryKey: projectReadOptions({ path: { projectId: project.id } }).queryKey,
      });
      await queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <Button color="red" variant="outline" onClick={box.open}>
        {t('project.delete')}
      </Button>
      <ConfirmByName
        opened={opened}
        onClose={box.close}
        title={t('project.delete')}
        text={t('project.deleteText')}
        name={project.name}
        act={t('project.deleteNow')}
        pending={act.pending}
        error={act.error}
        onConfirm={() => act.run(undefined)}
      />
    </>
  );
}
