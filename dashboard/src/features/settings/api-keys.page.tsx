import { Button, Group, Modal, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeyListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { apiKeyCreate, apiKeyRevoke } from '../../client/sdk.gen';
import type { ApiKeyDto } from '../../client/types.gen';
import { Allowed, refusalOf, type Role } from '../../shared/allowed';
import { CopyLine } from '../../shared/copy-line';
import { type Column, EndlessList } from '../../shared/endless-list';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { State } from '../../shared/state';
import { useAct } from '../../shared/use-act';
import { When } from '../../shared/when';
import { t } from '../../texts/texts';
import { useProject } from '../projects/use-project';

export function ApiKeysPage() {
  const project = useProject();
  const refusal = refusalOf(project, { role: 'owner' });
  return (
    <Page title={t.pages.apiKeys}>
      <Section title={t.apiKeys.make} text={t.apiKeys.makeText}>
        <Allowed refusal={refusal} projectId={project.id}>
          <MakeKey projectId={project.id} />
        </Allowed>
      </Section>
      {/* Which keys there are is an owner's to read. */}
      {refusal === null && <KeyList projectId={project.id} />}
    </Page>
  );
}

function MakeKey({ projectId }: { projectId: string }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [manages, setManages] = useState(false);
  const act = useAct({
    run: async () =>
      (
        await apiKeyCreate({
          path: { projectId },
          body: {
            name: name.trim(),
            role,
            ...(role === 'owner' && manages && { scopes: ['manage_access'] }),
          },
        })
      ).data,
    refreshes: ['apiKeyList'],
    then: () => setName(''),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t.apiKeys.name}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={act.fields['name']}
          />
          <NativeSelect
            label={t.members.role}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
            data={(['viewer', 'editor', 'owner'] as const).map((value) => ({ value, label: t.roles[value] }))}
          />
          <Button type="submit" size="sm" loading={act.pending}>
            {t.apiKeys.makeAct}
          </Button>
        </Group>
        {role === 'owner' && (
          <Switch
            label={t.apiKeys.manages}
            checked={manages}
            onChange={(event) => setManages(event.currentTarget.checked)}
          />
        )}
        <ProblemAlert error={act.error} />
        {act.result && (
          <Stack gap={4} role="status">
            <Text fw={600}>{t.apiKeys.once}</Text>
            <CopyLine text={act.result.key} label={t.apiKeys.key} />
          </Stack>
        )}
      </Stack>
    </form>
  );
}

function KeyList({ projectId }: { projectId: string }) {
  const path = { projectId };
  const query = useInfiniteQuery({
    ...apiKeyListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [ending, setEnding] = useState<ApiKeyDto | null>(null);
  const columns: Column<ApiKeyDto>[] = [
    { title: t.apiKeys.name, cell: ({ name }) => name },
    { title: t.apiKeys.begins, cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
    { title: t.members.role, cell: ({ role }) => t.roles[role] },
    { title: t.apiKeys.made, cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      title: t.apiKeys.state,
      cell: ({ revokedAt }) => (
        <State is={revokedAt === null ? 'good' : 'off'}>
          {revokedAt === null ? t.apiKeys.works : t.apiKeys.revoked}
        </State>
      ),
    },
    {
      title: t.shared.acts,
      cell: (key) =>
        key.revokedAt === null && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={t.apiKeys.revokeOf(key.name)}
            onClick={() => setEnding(key)}
          >
            {t.apiKeys.revoke}
          </Button>
        ),
    },
  ];
  return (
    <>
      <EndlessList
        label={t.pages.apiKeys}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
        empty={t.apiKeys.none}
      />
      {ending && <Revocation projectId={projectId} apiKey={ending} onClose={() => setEnding(null)} />}
    </>
  );
}

function Revocation({
  projectId,
  apiKey,
  onClose,
}: {
  projectId: string;
  apiKey: ApiKeyDto;
  onClose: () => void;
}) {
  const act = useAct({
    run: async () => (await apiKeyRevoke({ path: { projectId, apiKeyId: apiKey.id } })).data,
    done: t.apiKeys.revokedNow(apiKey.name),
    refreshes: ['apiKeyList'],
    then: onClose,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.apiKeys.revokeOf(apiKey.name)}
      closeButtonProps={{ 'aria-label': t.shared.close }}
    >
      <Stack gap="sm">
        <Text>{t.apiKeys.revokeText}</Text>
        <ProblemAlert error={act.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.shared.cancel}
          </Button>
          <Button color="red" loading={act.pending} onClick={() => act.run(undefined)}>
            {t.apiKeys.revoke}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
