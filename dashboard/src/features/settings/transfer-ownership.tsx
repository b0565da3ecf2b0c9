import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authSessionOptions, memberListOptions } from '../../client/@tanstack/react-query.gen';
import { ownershipOffer } from '../../client/sdk.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { ConfirmByNameDialog } from '../../shared/confirm-by-name-dialog';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** As many as one answer holds. */
const CHOICE_MAX = 200;

/** Invites another member to become the owner; when they accept, the person becomes an editor. */
export function TransferOwnership({ project }: { project: ProjectResponse }) {
  const path = { projectId: project.id };
  const { data: session } = useQuery(authSessionOptions());
  const query = useQuery(memberListOptions({ path, query: { limit: CHOICE_MAX } }));
  const others = (query.data?.items ?? []).filter(({ userId }) => userId !== session?.user.id);
  const [chosen, setChosen] = useState('');
  const [opened, setOpened] = useState(false);
  const heir = others.find(({ userId }) => userId === chosen);
  const mutation = useApiMutation({
    request: async (userId: string) => (await ownershipOffer({ path, body: { userId } })).data,
    successMessage: ({ email }) => t('members.transferInvited', { email }),
    invalidates: ['invitationList'],
    onSuccess: () => setOpened(false),
  });
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={t('members.newOwner')}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          disabled={others.length === 0}
          data={[
            {
              value: '',
              label: others.length === 0 ? t('members.noOtherMembers') : t('members.selectMember'),
            },
            ...others.map(({ userId, email }) => ({ value: userId, label: email })),
          ]}
        />
        <Button variant="default" size="sm" disabled={!heir} onClick={() => setOpened(true)}>
          {t('members.transfer')}
        </Button>
      </Group>
      <ProblemAlert error={query.error} />
      {heir && (
        <ConfirmByNameDialog
          opened={opened}
          onClose={() => setOpened(false)}
          title={t('members.transfer')}
          text={t('members.transferText', { email: heir.email })}
          name={project.name}
          confirmLabel={t('members.transfer')}
          isPending={mutation.isPending}
          error={mutation.error}
          onConfirm={() => mutation.mutate(heir.userId)}
        />
      )}
    </Stack>
  );
}
