import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { invitationInvite, invitationResend, invitationWithdraw } from '../../client/sdk.gen';
import type { InvitationDto } from '../../client/types.gen';
import type { Role } from '../../shared/allowed';
import { Clipped } from '../../shared/clipped';
import { type Column, EndlessList } from '../../shared/endless-list';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useAct } from '../../shared/use-act';
import { When } from '../../shared/when';
import { t } from '../../i18n/i18n';

const REFRESHES = ['invitationList'] as const;

/** Sends an invitation link, to people with and without an account. */
export function InviteForm({ projectId }: { projectId: string }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const act = useAct({
    run: async () => (await invitationInvite({ path: { projectId }, body: { email, role } })).data,
    done: (invitation) => t('members.invited', { email: invitation.email }),
    refreshes: REFRESHES,
    then: () => setEmail(''),
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
            label={t('signIn.email')}
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={act.fields['email']}
          />
          <NativeSelect
            label={t('members.role')}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
            data={(['viewer', 'editor', 'owner'] as const).map((value) => ({
              value,
              label: t(`roles.${value}`),
            }))}
          />
          <Button type="submit" size="sm" loading={act.pending}>
            {t('members.invite')}
          </Button>
        </Group>
        <ProblemAlert error={act.error} />
      </Stack>
    </form>
  );
}

/** Who was invited and has not come yet. */
export function InvitationList({ projectId }: { projectId: string }) {
  const path = { projectId };
  const query = useInfiniteQuery({
    ...invitationListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const resend = useAct({
    run: async ({ id }: InvitationDto) =>
      (await invitationResend({ path: { ...path, invitationId: id } })).data,
    done: (invitation) => t('members.invited', { email: invitation.email }),
    refreshes: REFRESHES,
    tellsFailure: true,
  });
  const withdraw = useAct({
    run: async ({ id }: InvitationDto) =>
      (await invitationWithdraw({ path: { ...path, invitationId: id } })).data,
    done: t('members.withdrawn'),
    refreshes: REFRESHES,
    tellsFailure: true,
  });
  const columns: Column<InvitationDto>[] = [
    { title: t('signIn.email'), cell: ({ email }) => <Clipped text={email} /> },
    {
      title: t('members.role'),
      cell: ({ role, transfersOwnership }) =>
        transfersOwnership ? t('members.ownerByTransfer') : t(`roles.${role}`),
    },
    { title: t('members.sent'), cell: ({ sentAt }) => <When at={sentAt} /> },
    { title: t('members.expires'), cell: ({ expiresAt }) => <When at={expiresAt} /> },
    {
      title: t('shared.actions'),
      cell: (invitation) => (
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={t('members.resendTo', { email: invitation.email })}
            onClick={() => resend.run(invitation)}
          >
            {t('deliveries.resend')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={t('members.withdrawFor', { email: invitation.email })}
            onClick={() => withdraw.run(invitation)}
          >
            {t('members.withdraw')}
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <Section title={t('members.pending')}>
      <EndlessList
        label={t('members.pending')}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
        empty={t('members.nonePending')}
      />
    </Section>
  );
}
