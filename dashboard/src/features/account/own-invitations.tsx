import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ownInvitationAccept, ownInvitationDecline } from '../../client/sdk.gen';
import type { OwnInvitationResponse } from '../../client/types.gen';
import { TruncatedText } from '../../shared/truncated-text';
import type { Column } from '../../shared/infinite-table';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { DataTable } from '../../shared/data-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { pageOfJoined } from '../../shared/page-of-joined';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { rolesText } from '../organizations/roles-text';
import { OWN_INVITATION_LIST } from './own-invitation-list';

/** Projects and organizations that the person is invited to: becoming a member or an owner requires acceptance. */
export function OwnInvitations() {
  const query = useQuery(OWN_INVITATION_LIST);
  const navigate = useNavigate();
  const accept = useApiMutation({
    request: async ({ id }: OwnInvitationResponse) =>
      (await ownInvitationAccept({ path: { invitationId: id } })).data,
    invalidates: ['ownInvitationList', 'projectList', 'projectRead', 'memberList', 'organizationList'],
    onSuccess: (joined) => void navigate(pageOfJoined(joined)),
  });
  const decline = useApiMutation({
    request: async ({ id }: OwnInvitationResponse) =>
      (await ownInvitationDecline({ path: { invitationId: id } })).data,
    successMessage: t('invitation.declined'),
    invalidates: ['ownInvitationList'],
  });
  const columns: Column<OwnInvitationResponse>[] = [
    { title: t('invitation.project'), cell: (invitation) => <TruncatedText text={nameOf(invitation)} /> },
    {
      title: t('members.role'),
      cell: (invitation) =>
        invitation.transfersOwnership ? t('members.ownerByTransfer') : rolesText(invitation),
    },
    { title: t('members.expires'), cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
    {
      title: t('shared.actions'),
      cell: (invitation) => (
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t('invitation.acceptFor', { project: nameOf(invitation) })}
            loading={accept.variables === invitation}
            onClick={() => accept.mutate(invitation)}
          >
            {t('invitation.accept')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={t('invitation.declineFor', { project: nameOf(invitation) })}
            loading={decline.variables === invitation}
            onClick={() => decline.mutate(invitation)}
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
        <DataTable label={t('invitation.list')} items={items} columns={columns} rowKey={({ id }) => id} />
      )}
      <ProblemAlert error={accept.error ?? decline.error} />
    </Stack>
  );
}

/** The name of the project or organization of an invitation. */
function nameOf({ projectName, organizationName }: OwnInvitationResponse): string {
  return projectName ?? organizationName ?? '';
}
