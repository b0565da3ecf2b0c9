import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ownInvitationListOptions } from '../../client/@tanstack/react-query.gen';
import { ownInvitationAccept, ownInvitationDecline } from '../../client/sdk.gen';
import type { OwnInvitationDto } from '../../client/types.gen';
import { Clipped } from '../../shared/clipped';
import { type Column, SkeletonRows } from '../../shared/endless-list';
import { PlainList } from '../../shared/plain-list';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { When } from '../../shared/when';
import { t } from '../../i18n/i18n';

/** As many as one response contains. */
export const OWN_INVITATIONS = { query: { limit: 200 } };

/** Projects that the person is invited to: becoming a member or an owner requires acceptance. */
export function OwnInvitations() {
  const query = useQuery(ownInvitationListOptions(OWN_INVITATIONS));
  const navigate = useNavigate();
  const accept = useAct({
    run: async ({ id }: OwnInvitationDto) => (await ownInvitationAccept({ path: { invitationId: id } })).data,
    refreshes: ['ownInvitationList', 'projectList', 'projectRead', 'memberList'],
    then: ({ projectId }) => void navigate({ to: '/projects/$projectId', params: { projectId } }),
  });
  const decline = useAct({
    run: async ({ id }: OwnInvitationDto) =>
      (await ownInvitationDecline({ path: { invitationId: id } })).data,
    done: t('invitation.declined'),
    refreshes: ['ownInvitationList'],
  });
  const columns: Column<OwnInvitationDto>[] = [
    { title: t('invitation.project'), cell: ({ projectName }) => <Clipped text={projectName} /> },
    {
      title: t('members.role'),
      cell: ({ role, transfersOwnership }) =>
        transfersOwnership ? t('members.ownerByTransfer') : t(`roles.${role}`),
    },
    { title: t('members.expires'), cell: ({ expiresAt }) => <When at={expiresAt} /> },
    {
      title: t('shared.actions'),
      cell: (invitation) => (
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t('invitation.acceptFor', { project: invitation.projectName })}
            loading={accept.wanted === invitation}
            onClick={() => accept.run(invitation)}
          >
            {t('invitation.accept')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={t('invitation.declineFor', { project: invitation.projectName })}
            loading={decline.wanted === invitation}
            onClick={() => decline.run(invitation)}
          >
            {t('invitation.decline')}
          </Button>
        </Group>
      ),
    },
  ];
  if (!query.data) return query.isPending ? <SkeletonRows rows={1} /> : <ProblemAlert error={query.error} />;
  const { items } = query.data;
  return (
    <Stack gap="sm">
      {items.length === 0 ? (
        <Text c="dimmed">{t('invitation.none')}</Text>
      ) : (
        <PlainList label={t('invitation.list')} items={items} columns={columns} idOf={({ id }) => id} />
      )}
      <ProblemAlert error={accept.error ?? decline.error} />
    </Stack>
  );
}
