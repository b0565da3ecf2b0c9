import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authSessionOptions, memberListOptions } from '../../client/@tanstack/react-query.gen';
import { ownershipLeave, ownershipOffer } from '../../client/sdk.gen';
import type { ProjectDto } from '../../client/types.gen';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { ProblemAlert } from '../../shared/problem-alert';
import { Question } from '../../shared/question';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';

/** As many as one answer holds. */
const CHOICE_MAX = 200;

/** Invites another member to become the owner; when they accept, the person becomes an editor. */
export function HandOver({ project }: { project: ProjectDto }) {
  const path = { projectId: project.id };
  const { data: session } = useQuery(authSessionOptions());
  const query = useQuery(memberListOptions({ path, query: { limit: CHOICE_MAX } }));
  const others = (query.data?.items ?? []).filter(({ userId }) => userId !== session?.user.id);
  const [chosen, setChosen] = useState('');
  const [opened, setOpened] = useState(false);
  const heir = others.find(({ userId }) => userId === chosen);
  const act = useAct({
    run: async (userId: string) => (await ownershipOffer({ path, body: { userId } })).data,
    done: ({ email }) => t('members.transferInvited', { email }),
    refreshes: ['invitationList'],
    then: () => setOpened(false),
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
        <ConfirmByName
          opened={opened}
          onClose={() => setOpened(false)}
          title={t('members.transfer')}
          text={t('members.transferText', { email: heir.email })}
          name={project.name}
          act={t('members.transfer')}
          pending={act.pending}
          error={act.error}
          onConfirm={() => act.run(heir.userId)}
        />
      )}
    </Stack>
  );
}

/** Gives the person's own place in the project up. */
export function Leave({ project }: { project: ProjectDto }) {
  const [opened, setOpened] = useState(false);
  const act = useAct({
    run: async () => (await ownershipLeave({ path: { projectId: project.id } })).data,
    // What the page knows was read as a member.
    then: () => location.assign('/'),
  });
  return (
    <div>
      <Button variant="outline" color="red" onClick={() => setOpened(true)}>
        {t('members.leave')}
      </Button>
      {opened && (
        <Question
          title={t('members.leave')}
          act={t('members.leave')}
          pending={act.pending}
          error={act.error}
          onClose={() => setOpened(false)}
          onConfirm={() => act.run(undefined)}
        >
          {t('members.removeSelfText')}
        </Question>
      )}
    </div>
  );
}
