import { useQuery } from '@tanstack/react-query';
import { authSessionOptions } from '../../client/@tanstack/react-query.gen';
import { organizationMemberRemove } from '../../client/sdk.gen';
import type { OrganizationMemberResponse } from '../../client/types.gen';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Removes a member from the organization, with their API keys on its projects. */
export function RemoveMemberDialog(props: {
  organizationId: string;
  member: OrganizationMemberResponse;
  onClose: () => void;
}) {
  const { organizationId, onClose } = props;
  const { userId, email } = props.member;
  const { data: session } = useQuery(authSessionOptions());
  const isSelf = session?.user.id === userId;
  const mutation = useApiMutation({
    request: () => organizationMemberRemove({ path: { organizationId, userId } }),
    successMessage: t('members.removed', { email }),
    invalidates: ['organizationMemberList'],
    onSuccess: () => (isSelf ? location.assign('/') : onClose()),
  });
  return (
    <ConfirmDialog
      title={t('members.removeMember', { email })}
      confirmLabel={t('members.remove')}
      isPending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onConfirm={() => mutation.mutate(undefined)}
    >
      {isSelf ? t('organizations.leaveText') : t('organizations.removeText')}
    </ConfirmDialog>
  );
}
