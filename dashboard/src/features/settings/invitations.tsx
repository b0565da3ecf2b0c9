import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { invitationListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { invitationInvite, invitationResend, invitationWithdraw } from '../../client/sdk.gen';
import type { InvitationResponse } from '../../client/types.gen';
import type { Role } from '../../shared/access';
import { InfiniteTable } from '../../shared/infinite-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { invitationColumns, invitationPhoneColumns } from './invitation-columns';

const REFRESHES = ['invitationList'] as const;

/** Sends an invitation link, to people with and without an account. */
export function InviteForm({ projectId }: { projectId: string }) {
  const form = useForm({ initialValues: { email: '', role: 'viewer' as Role } });
  const { email, role } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () => (await invitationInvite({ path: { projectId }, body: { email, role } })).data,
    successMessage: (invitation) => t('members.invited', { email: invitation.email }),
    invalidates: REFRESHES,
    onSuccess: () => form.setFieldValue('email', ''),
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput label={t('signIn.email')} type="email" required {...form.getInputProps('email')} />
          <NativeSelect
            label={t('members.role')}
            {...form.getInputProps('role')}
            data={(['viewer', 'editor', 'owner'] as const).map((value) => ({
              value,
              label: t(`roles.${value}`),
            }))}
          />
          <Button type="submit" size="sm" loading={mutation.isPending}>
            {t('members.invite')}
          </Button>
        </Group>
        <ProblemAlert error={mutation.error} />
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
  const resend = useApiMutation({
    request: async ({ id }: InvitationResponse) =>
      (await invitationResend({ path: { ...path, invitationId: id } })).data,
    successMessage: (invitation) => t('members.invited', { email: invitation.email }),
    invalidates: REFRESHES,
    notifiesError: true,
  });
  const withdraw = useApiMutation({
    request: async ({ id }: InvitationResponse) =>
      (await invitationWithdraw({ path: { ...path, invitationId: id } })).data,
    successMessage: t('members.withdrawn'),
    invalidates: REFRESHES,
    notifiesError: true,
  });
  const actions = { resend: resend.mutate, withdraw: withdraw.mutate };
  return (
    <Section title={t('members.pending')}>
      <InfiniteTable
        label={t('members.pending')}
        query={query}
        columns={invitationColumns(actions)}
        phoneColumns={invitationPhoneColumns(actions)}
        rowKey={({ id }) => id}
        empty={t('members.nonePending')}
      />
    </Section>
  );
}
