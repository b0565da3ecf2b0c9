import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { authSessionOptions, memberKeysOfOptions } from '../../client/@tanstack/react-query.gen';
import { memberRemove } from '../../client/sdk.gen';
import type { MemberResponse, ProjectResponse } from '../../client/types.gen';
import { type Role, roleCovers } from '../../shared/access';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { ProblemAlert } from '../../shared/problem-alert';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

interface MemberDialog {
  project: ProjectResponse;
  member: MemberResponse;
  onClose: () => void;
}

/** Removes a member from the project, with their API keys. */
export function RemoveMemberDialog({ project, member, onClose }: MemberDialog) {
  const { data: session } = useQuery(authSessionOptions());
  const self = session?.user.id === member.userId;
  const mutation = useApiMutation({
    request: async () =>
      (await memberRemove({ path: { projectId: project.id, userId: member.userId } })).data,
    successMessage: t('members.removed', { email: member.email }),
    invalidates: ['memberList', 'apiKeyList', 'projectList'],
    onSuccess: () => (self ? location.assign('/') : onClose()),
  });
  return (
    <ConfirmDialog
      title={t('members.removeMember', { email: member.email })}
      confirmLabel={t('members.remove')}
      isPending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onConfirm={() => mutation.mutate(undefined)}
    >
      <Text>{self ? t('members.removeSelfText') : t('members.removeText')}</Text>
      <AffectedKeys project={project} member={member} role={null} />
    </ConfirmDialog>
  );
}

/** Confirms that a member loses permissions. */
export function ChangeRoleDialog({
  project,
  member,
  role,
  ...rest
}: MemberDialog & { role: Role; isPending: boolean; error: unknown; onConfirm: () => void }) {
  return (
    <ConfirmDialog
      title={t('members.changeRoleOf', { email: member.email, role: t(`roles.${role}`) })}
      confirmLabel={t('members.changeRole', { role: t(`roles.${role}`) })}
      {...rest}
    >
      <Text>{t('members.fewerPermissions')}</Text>
      <AffectedKeys project={project} member={member} role={role} />
    </ConfirmDialog>
  );
}

/** The member's keys, or former secrets of keys, with a higher role than the one they keep; null: they keep none. */
function AffectedKeys({
  project,
  member,
  role,
}: {
  project: ProjectResponse;
  member: MemberResponse;
  role: Role | null;
}) {
  const query = useQuery(memberKeysOfOptions({ path: { projectId: project.id, userId: member.userId } }));
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={1} />;
  const going = query.data.items.filter((key) => role === null || !roleCovers(role, key.role));
  if (going.length === 0) return <Text c="dimmed">{t('members.noKeysRevoked')}</Text>;
  return (
    <div>
      <Text>{t('members.keysRevoked')}</Text>
      <List size="sm">
        {going.map(({ id, name, prefix, secret }) => (
          <List.Item key={id}>
            {name}{' '}
            {secret === 'current' ? <span className="mono">{prefix}…</span> : t('members.oldSecretOnly')}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
