import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { domainListOptions } from '../../client/@tanstack/react-query.gen';
import { domainAdd } from '../../client/sdk.gen';
import type { CustomDomainListResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { AccessNote, checkAccess } from '../../shared/access';
import { FormDialog } from '../../shared/form-dialog';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useProject } from '../../shared/use-project';
import { CustomDomain } from './custom-domain';

const LIVE_MS = 5_000;

/** Hosts of the customer on which the banner is served (docs/first-party.md). */
export function CustomDomains() {
  const project = useProject();
  const list = useQuery({
    ...domainListOptions({ path: { projectId: project.id } }),
    refetchInterval: LIVE_MS,
  });
  return (
    <Section title={t('install.domains.title')} text={t('install.domains.text')}>
      <ProblemAlert error={list.error} retry={() => void list.refetch()} />
      {list.data && <DomainList list={list.data} />}
    </Section>
  );
}

function DomainList({ list }: { list: CustomDomainListResponse }) {
  const project = useProject();
  const [opened, dialog] = useDisclosure(false);
  const refusal = checkAccess(project, { role: 'editor' });
  const isFull = list.items.length >= list.domainsMax;
  if (list.target === null && list.items.length === 0)
    return <Text c="dimmed">{t('install.domains.unavailable')}</Text>;
  return (
    <Stack gap="md" align="stretch">
      {list.items.length === 0 && <Text c="dimmed">{t('install.domains.none')}</Text>}
      {list.items.map((domain) => (
        <CustomDomain
          key={domain.id}
          domain={domain}
          authority={list.certificateAuthority}
          canChange={refusal === null}
        />
      ))}
      {refusal && <AccessNote refusal={refusal} projectId={project.id} />}
      {!refusal && isFull && <Text c="dimmed">{t('install.domains.full', { count: list.domainsMax })}</Text>}
      {!refusal && !isFull && list.target !== null && (
        <div>
          <Button variant="default" onClick={dialog.open}>
            {t('install.domains.add')}
          </Button>
        </div>
      )}
      {opened && <AddDomainDialog projectId={project.id} onClose={dialog.close} />}
    </Stack>
  );
}

function AddDomainDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [hostname, setHostname] = useState('');
  const add = useApiMutation({
    request: async (body: { hostname: string }) => (await domainAdd({ path: { projectId }, body })).data,
    invalidates: ['domainList'],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={t('install.domains.add')}
      confirmLabel={t('install.domains.add')}
      pending={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={() => add.mutate({ hostname })}
    >
      <TextInput
        label={t('install.domains.hostname')}
        description={t('install.domains.hostnameHint')}
        placeholder="consent.example.com"
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        value={hostname}
        onChange={(event) => setHostname(event.currentTarget.value)}
        error={add.fieldErrors['hostname']}
      />
    </FormDialog>
  );
}
